"""The windows beneath a log directory, and their reports: stored, cached or read now."""
