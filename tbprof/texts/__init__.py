"""Codes and numbers to English: the only place that writes sentences."""
