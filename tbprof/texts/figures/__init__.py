"""Figures as people read them, and of what they are figures."""
