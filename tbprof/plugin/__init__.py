"""What TensorBoard loads: the entry point that it imports, and the routes that the tab asks."""
