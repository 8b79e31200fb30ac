"""Rules about the optimizer (OPT): how many kernels updating the parameters takes."""
