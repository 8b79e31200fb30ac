"""Folders on other hosts, in object stores and whatever else fsspec reads: listed, read and written to."""
