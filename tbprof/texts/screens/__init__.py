"""What is said on one screen or in one line about a window."""
