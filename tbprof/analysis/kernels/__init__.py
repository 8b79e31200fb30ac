"""The kernels of a window: what each cost, whose they are, and how they follow each other."""
