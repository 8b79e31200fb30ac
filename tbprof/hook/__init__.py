"""What runs inside the trainer: it drives torch's profiler, and never breaks what it watches."""
