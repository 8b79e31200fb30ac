"""What the window would have taken without some of its waits."""
