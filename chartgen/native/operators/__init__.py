"""Objects of Kubernetes operators: TfJob and MxJob, and the configuration of such an operator."""
