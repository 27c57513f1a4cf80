"""`chartgen diff`: what OLD and NEW mean, and how the one differs from the other."""
