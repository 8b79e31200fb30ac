"""Traces of Kineto, Nsight Systems and rocprofv3 as columns, kept for the next reading and written again.

The only place that knows JSON keys, microseconds, vendors and eras.
"""
