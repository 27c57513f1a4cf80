"""Rules that Kubernetes has for pods and Jobs beside its schemas."""
