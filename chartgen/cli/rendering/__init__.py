"""What `render` does with the jobs that a command line names, once they are checked."""
