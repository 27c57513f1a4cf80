"""The modules that command lines name."""
