"""TensorBoard's door: the loader that it imports, the routes that the tab asks."""
