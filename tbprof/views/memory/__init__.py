"""The page of memory: its curve by device, and who holds what at one moment of it."""
