"""`tbprof prove`: two runs of a program without a GPU, before and after a change, and what differs."""
