"""What carries charts to clusters: packages, a diff in words, and objects of Argo CD and Flux."""
