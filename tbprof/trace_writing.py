"""What is written of traces, for code that publishes; a report needs nothing of it."""

from __future__ import annotations

from tbprof.trace.export.classic_writer import write_classic
from tbprof.trace.export.published_trace import merge_facts, verify, with_inputs

__all__ = ["merge_facts", "verify", "with_inputs", "write_classic"]
