"""The job description, typed, and what a person may write in short."""
