"""What a build can be failed for, and the answer of `tbprof check`."""
