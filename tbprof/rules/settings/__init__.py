"""Rules about switches and variables that the hook records (ENV)."""
