"""What a TrainJob and its training runtime mean together: the runtime, its pods, and its nodes."""
