"""What the hook leaves where a training runs out of memory."""
