"""What is said of a window: decided here, once, from findings and figures."""
