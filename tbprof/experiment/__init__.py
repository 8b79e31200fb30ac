"""Experiments instead of models: two sides, or two forms of a line, that take turns on one machine."""
