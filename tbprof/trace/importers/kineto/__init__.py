"""Files that torch's profiler (Kineto) wrote: records to columns, and what was lost on the way."""
