"""How far a window can be trusted, and what was lost of it."""
