"""What pods run: programs and, for what cannot be had as a package, stand-ins. Images have it all in /app."""
