"""What CUPTI writes of its own work."""

from __future__ import annotations

from trace_builder import TraceBuilder


def cupti_works(built: TraceBuilder, name: str, start: float, end: float) -> None:
    """A row of the overhead, such as `Buffer Flush`; times are in us of the builder."""
    ts = (built.origin_ns + round(start * 1000)) / 1000
    place = {"pid": -1, "tid": 0, "ts": ts, "dur": end - start}
    built.events.append({"ph": "X", "cat": "overhead", "name": name, **place})
