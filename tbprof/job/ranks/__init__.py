"""What the ranks of a job did together: matched collectives, who was late for them, and why."""
