"""What tests share: paths, charts through Helm, commands as typed, and stand-ins."""
