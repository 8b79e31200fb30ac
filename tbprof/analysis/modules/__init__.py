"""What each module of the model cost, forward and backward, with the loss and the optimizer apart."""
