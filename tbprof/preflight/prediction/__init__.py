"""What a run without a GPU predicts, and its forms: JSON, text."""
