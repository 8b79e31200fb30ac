"""Many files analyzed at once: in this process, in others of this machine, or where an engine has workers."""
