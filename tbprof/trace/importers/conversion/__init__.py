"""Traces of other profilers, written as Kineto would have written them."""
