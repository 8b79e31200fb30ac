"""The Overview: where a step goes, why the device is idle, what to change, what to trust."""
