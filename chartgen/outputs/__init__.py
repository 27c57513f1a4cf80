"""What a job can become."""
