"""The program's code as it ran, with what was found at its lines."""
