"""Predicted savings beside measured ones: a file of the user's, a line each, without any code.

Nothing of it leaves the machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tbprof.folders import cache_folder, private_cache_folder
from tbprof.safe_open import add_line, content_within

FEWEST_PAIRS = 10
"""With fewer nothing is said of a device."""

_FOLDER, _NAME = "calibration", "calibration.jsonl"
_MOST_BYTES = 16 << 20


def file_to_append_to() -> Path | None:
    """The user's own; None where there is no place for it."""
    folder = private_cache_folder(_FOLDER)
    return None if folder is None else folder / _NAME


def file_to_read() -> Path | None:
    """The same, where nothing is to be made for it."""
    cache = cache_folder()
    return None if cache is None else cache / _FOLDER / _NAME


def append_pair(pair: dict[str, Any], path: Path) -> None:
    """Add one; a pair has `device`, `predicted_us` as floor and ceiling, and `measured_us` as an interval.

    One of two recorded windows names them as `windows`, and is there once.

    Raises:
        OSError: It can't be written.
    """
    if "windows" in pair and any(each.get("windows") == pair["windows"] for each in _pairs(path)):
        return
    add_line(path, json.dumps({"schema": 1, **pair}))


def held_on(device: str, path: Path | None = None) -> tuple[int, int] | None:
    """In how many pairs of a device the two ranges meet, and how many there are; None of too few.

    The file is the user's own where none is named.
    """
    path = path or file_to_read()
    pairs = [pair for pair in _pairs(path) if pair["device"] == device]
    if not device or len(pairs) < FEWEST_PAIRS:
        return None
    return sum(map(_holds, pairs)), len(pairs)


def _holds(pair: dict[str, Any]) -> bool:
    (floor, ceiling), (low, high) = pair["predicted_us"], pair["measured_us"]
    return bool(floor <= high and low <= ceiling)


def _pairs(path: Path | None) -> Iterator[dict[str, Any]]:
    """The pairs that are whole: another process may be writing, and a user may have edited."""
    if path is None:
        return
    try:
        lines = content_within(path, _MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        # None was measured yet, or nobody may read it: a report has no need of it.
        return
    for line in lines:
        try:
            pair = json.loads(line)
            _holds(pair)
            pair["device"].strip()
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        yield pair
