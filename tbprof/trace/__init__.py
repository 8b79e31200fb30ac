"""Kineto files to columns: the only place that knows JSON keys, microseconds, vendors and eras."""
