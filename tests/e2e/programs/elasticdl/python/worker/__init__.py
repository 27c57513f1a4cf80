"""The worker, which does the tasks."""
