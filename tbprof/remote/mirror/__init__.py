"""The list of a remote folder, as a folder of this machine."""
