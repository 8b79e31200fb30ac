"""The built frontend; no code."""
