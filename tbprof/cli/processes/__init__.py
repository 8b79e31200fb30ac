"""Processes that commands start or ask about: preflight, TensorBoard, those on a GPU."""
