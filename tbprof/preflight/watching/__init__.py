"""Sees every op that runs, marks where tensors would be, and notes what a GPU would be waited for."""
