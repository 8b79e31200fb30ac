"""Tables and sums of a window, made of its facts: what screens and reports show."""
