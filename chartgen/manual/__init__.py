"""The manual, which `chartgen explain` prints."""
