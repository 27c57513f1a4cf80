"""Accelerators, machines and fabrics: what a job requests, and what a cloud injects for it."""
