"""Where in the program a device was left idle, and whose pace is to blame."""
