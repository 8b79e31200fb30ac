"""A job's operations once more, with other durations: each begins when all that it waits for has ended."""
