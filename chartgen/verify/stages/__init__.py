"""The stages of `chartgen test`."""
