"""Bytes to one record an event: the only place that knows the keys of the JSON."""
