"""The runs that a training has under way in trackers of experiments."""
