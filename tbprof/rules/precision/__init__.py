"""Rules about number formats, layouts and shapes (PRC): kernels that take longer than they need to."""
