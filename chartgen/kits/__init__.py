"""Kits: what a team adds to every job in its own repository, without a change of chartgen."""
