"""What Python's own modules do at import, done at first use: most of a short run is imports."""
