"""A machine that looks for inputs on which chartgen breaks; `make fuzz` runs it."""
