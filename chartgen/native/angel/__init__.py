"""Angel's command lines and property files."""
