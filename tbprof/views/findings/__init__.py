"""A finding on a screen: its texts, and its fix as an edit of the line."""
