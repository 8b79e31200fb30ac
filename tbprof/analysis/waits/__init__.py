"""How long the host waited, for which work, and on which threads that holds up the training."""
