"""What happened on the host and can make it wait: calls, steps, sync points and copies."""
