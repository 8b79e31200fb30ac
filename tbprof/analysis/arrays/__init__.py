"""Arithmetic on arrays of times and names: intervals, nesting, rows by their names."""
