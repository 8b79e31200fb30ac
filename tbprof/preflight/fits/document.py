"""What `tbprof fits --format json` prints."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tbprof.preflight.fits.outcome import Outcome, growth_of, needed_bytes, verdict_of

_SCHEMA = 1


def document(program: str, way: str, device_bytes: int | None, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Sizes in bytes; null for what is not known, or was not asked for."""
    growth = growth_of(outcomes)
    return {
        "schema": _SCHEMA,
        "program": program,
        "batch_size_set_by": way,
        "device_memory_bytes": device_bytes,
        "sizes": [_size(one, device_bytes) for one in outcomes],
        "growth": None if growth is None else dataclasses.asdict(growth),
    }


def _size(outcome: Outcome, device_bytes: int | None) -> dict[str, Any]:
    peak = outcome.peak
    least, most = (None, None) if peak is None else needed_bytes(peak)
    return {
        **dataclasses.asdict(outcome),
        "needed_bytes": {"least": least, "most": most},
        "verdict": None if peak is None or device_bytes is None else verdict_of(peak, device_bytes),
    }
