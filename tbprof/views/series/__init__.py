"""Windows side by side: the ranks of a run, or one worker over the training."""
