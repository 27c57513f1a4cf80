"""chartgen turns one short job description into one complete Helm chart."""

__version__ = "0.1.0"
