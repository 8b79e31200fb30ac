"""Every check of a window: failed, not checked, passed."""
