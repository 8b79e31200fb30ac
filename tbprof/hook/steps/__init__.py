"""When a window begins, and how long steps take."""
