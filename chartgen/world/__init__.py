"""What touches the disk, processes and the network."""
