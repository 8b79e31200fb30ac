"""What the hook leaves of memory: a followed step, and where it ran out."""
