"""Verdicts of figures by their names, as a stored report has them."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args, get_type_hints

from tbprof.judge import words
from tbprof.model import Figures, StoredNumbers, Verdict


def stored_verdict(case: str, numbers: StoredNumbers) -> Verdict:
    """The verdict of these figures: 0 or "" for one that is missing; names it does not know are left out."""
    return Verdict(case, _filled(words._RECORDS.get(case, words.Bound), numbers))


def _filled(record: Any, numbers: StoredNumbers) -> Figures:
    hints = get_type_hints(record)
    values: dict[str, Any] = {}
    for name in record.__annotations__:
        kinds = get_args(hints[name]) or (hints[name],)
        if issubclass(kinds[0], Figures):
            is_there = NoneType not in kinds or kinds[0].__annotations__.keys() & numbers.keys()
            values[name] = _filled(kinds[0], numbers) if is_there else None
        else:
            values[name] = numbers.get(name, None if NoneType in kinds else kinds[0]())
    found: Figures = record(**values)
    return found
