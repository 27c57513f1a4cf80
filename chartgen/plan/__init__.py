"""What a framework adds to a chart, and the values that are known only at install or in the pod."""
