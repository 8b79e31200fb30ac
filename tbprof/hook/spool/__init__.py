"""Where windows wait until a child process publishes them."""
