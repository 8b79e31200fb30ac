"""The Timeline: what it shows, what is said of a selection, tiles as bytes."""
