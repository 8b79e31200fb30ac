"""Two windows beside each other."""
