"""Calls of Mars' new_cluster."""
