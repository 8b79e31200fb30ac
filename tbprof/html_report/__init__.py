"""Reports that leave the log directory: a page to be sent to somebody, an object for a notebook."""
