"""Texts and the plain data in them, with the place of every value; independent of jobs."""
