"""What to know of a trace and its run before the figures are trusted."""
