"""What the hook knows of a window and its trace does not hold."""
