"""What is asked of the hook: options, schedule, and their checks."""
