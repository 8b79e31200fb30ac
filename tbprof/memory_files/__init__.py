"""Files beside the windows of a run that tell of memory: which these are, and reading the hook's."""
