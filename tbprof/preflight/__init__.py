"""Finds the lines that would sync or copy on a GPU, by running the program without one."""
