"""All runs of a log directory: what each costs, and what is behind it."""
