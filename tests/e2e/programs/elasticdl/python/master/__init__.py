"""The master, which hands out tasks and, if it is given a number, creates the workers."""
