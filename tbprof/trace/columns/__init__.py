"""A trace as columns: what importers make and everything above reads."""
