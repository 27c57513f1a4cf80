"""Facts about Kubernetes that hold for any object, wherever it comes from."""
