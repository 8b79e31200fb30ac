"""The process that reads traces for the tab, and those that ask it."""
