"""One profiled window, from torch's profiler to the files in the spool."""
