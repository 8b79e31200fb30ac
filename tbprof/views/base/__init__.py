"""What all views are made of: times, and steady steps."""
