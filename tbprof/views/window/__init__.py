"""The window: its sites, copies and predictions, and the pickers that lead to it."""
