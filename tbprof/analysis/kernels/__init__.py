"""Kernels and the calls that launch them."""
