"""A watched run: its windows one after the other, and what is said of it at its end."""
