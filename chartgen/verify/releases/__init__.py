"""What the stages on a cluster install there, and how it is removed, also after a kill."""
