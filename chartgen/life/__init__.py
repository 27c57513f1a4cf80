"""A job on a cluster: its status, logs and events, and how to stop and start it.

`release`, `log_reader` and `switch` ask the API server; all else is pure over what it answers.
"""
