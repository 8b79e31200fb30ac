"""Traces written again: for publishing, and for other viewers."""
