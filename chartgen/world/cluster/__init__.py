"""The API of a Kubernetes cluster: who may ask, what is asked, and the logs that it streams."""
