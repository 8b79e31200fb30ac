"""Rules about sync points (SYN): the host waits for the device."""
