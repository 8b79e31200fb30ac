"""How much the operators compute and move, and how near the device's limit they do it."""
