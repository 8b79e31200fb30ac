"""When a device was idle, and why."""
