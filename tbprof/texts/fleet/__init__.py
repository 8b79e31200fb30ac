"""What is said of all runs of a log directory."""
