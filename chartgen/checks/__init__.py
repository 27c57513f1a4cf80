"""What no schema can say about a job."""
