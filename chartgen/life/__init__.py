"""A job on a cluster: its status, logs and events, and how to stop and start it.

Pure over what `chartgen.world.cluster` brings: Jobs, pods and events as the API server has them.
"""
