"""What becomes of a recording: a trace of each process, as Kineto would have written it."""

from __future__ import annotations

from pathlib import Path

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class Converted:
    """One process of a recording."""

    path: Path
    """Of the trace."""
    host: str
    """Empty where the recording does not tell."""
    pid: int
    """0 where the recording does not tell."""
