"""What each operator cost: the host in it, and the device by what it launched."""
