"""Columns kept in the user's cache folder, so that a large trace is read once."""
