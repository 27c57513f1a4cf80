"""The master, which hands out tasks and, where it is told how many, makes the workers."""
