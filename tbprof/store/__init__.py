"""Reports on disk: their format, where they lie, and the runs of a log directory."""
