"""A large trace, read by several processes at once."""
