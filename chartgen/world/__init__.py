"""The only package that touches the disk, processes and the network."""
