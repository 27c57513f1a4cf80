"""What pods run: programs, and stand-ins for what is not available as a package; in /app."""
