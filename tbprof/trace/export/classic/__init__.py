"""The dialect that torch-tb-profiler 0.4.3 reads rightly."""
