"""Rules about a device that is not this program's alone, or not at its full clocks (SHR)."""
