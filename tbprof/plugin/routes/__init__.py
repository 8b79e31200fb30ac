"""One file a route of the tab: from a request's parameters to its answer."""
