"""What ran on the devices, and what kind of work it was."""
