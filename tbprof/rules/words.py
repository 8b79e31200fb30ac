"""The record that has the figures of a rule, and how such a record is read back from a stored report.

The `words.py` of a family says in `FOUND` which record each of its rules fills where it finds something, and
in `LOOKED_AT` which one where it finds nothing. Such a module imports nothing that analyzes a trace, since to
import that takes longer than to print a whole report.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import NoneType
from typing import Any, cast, get_args, get_type_hints

from tbprof.model import Figures, Remedy, Scope, StoredNumbers
from tbprof.records import dataclass
from tbprof.rules.files import rule_files

OTHER_VERSION = "Its figures are those of another version of tbprof."


@dataclass(frozen=True, slots=True)
class OtherVersion(Figures):
    """Figures that are not those of this version's rule."""

    stored: StoredNumbers

    def numbers(self) -> dict[str, int | float | str]:
        """All of them, as they were read."""
        return dict(self.stored)

    def sentence(self, _: Scope, /) -> str:
        """Nothing but that they are of another version."""
        return OTHER_VERSION


def found_record(code: str) -> type[Figures] | None:
    """The record that this rule fills for a finding; None if there is no such rule."""
    return _declared(code, "FOUND")


def looked_at_record(code: str) -> type[Figures] | None:
    """The record that this rule fills where it finds nothing; None if there is no such rule."""
    return _declared(code, "LOOKED_AT")


def found_figures(code: str, stored: StoredNumbers) -> Figures:
    """The figures of a stored finding, without its remedy."""
    return read_figures(found_record(code), {name: stored[name] for name in stored if name not in _REMEDY})


def looked_at_figures(code: str, stored: StoredNumbers) -> Figures | None:
    """The figures of a stored check; None if it has none."""
    return read_figures(looked_at_record(code), stored) if stored else None


def remedy_of(stored: StoredNumbers) -> Remedy:
    """The remedy of a stored finding."""
    return Remedy(
        hint=str(stored.get("hint", "")),
        used_at_once=bool(stored.get("used_at_once", 0)),
        fixed_as=str(stored.get("fixed_as", "")),
        graphed_in=str(stored.get("graphed_in", "")),
        origin=str(stored.get("origin", "")),
    )


_REMEDY = frozenset(Remedy.__annotations__)


def _declared(code: str, table: str) -> type[Figures] | None:
    module = _modules().get(code)
    if module is None:
        return None
    declared: Mapping[str, type[Figures]] = getattr(import_module(module), table)
    return declared.get(code)


@cache
def _modules() -> dict[str, str]:
    """The `words.py` of each rule, by its code."""
    return {file.code: f"{file.module.rpartition('.')[0]}.words" for file in rule_files()}


def read_figures(record: type[Figures] | None, stored: StoredNumbers) -> Figures:
    """The record of stored figures, or `OtherVersion` where they are not exactly its fields."""
    found = None if record is None else _taken(record, dict(stored))
    return OtherVersion(stored) if found is None or found.numbers().keys() != stored.keys() else found


def _taken(record: type[Figures], left: dict[str, int | float | str]) -> Figures | None:
    """The record of these numbers, which are taken out of `left`; None where one is missing."""
    values: dict[str, Any] = {}
    for name, (kind, is_optional) in _fields(cast("Any", record)).items():
        if issubclass(kind, Figures):
            value: Any = _taken(kind, left) if not is_optional or _names(kind) & left.keys() else None
        else:
            value = _one_of(kind, left, record.KEYS.get(name, name))
        if value is None and not is_optional:
            return None
        values[name] = value
    return record(**values)


def _one_of(kind: type, left: dict[str, int | float | str], key: str) -> int | float | str | None:
    """The number called `key`, taken out of `left`; None where it is missing or of another kind."""
    value = left.get(key)
    if not isinstance(value, (int, float) if kind is float else int if kind is bool else kind):
        return None
    del left[key]
    return bool(value) if kind is bool else value


@cache
def _fields(record: Any) -> dict[str, tuple[type, bool]]:
    """The kind of each field, and whether it may be None."""
    hints = get_type_hints(record)
    parts = {name: get_args(hints[name]) or (hints[name],) for name in record.__annotations__}
    return {name: (kinds[0], NoneType in kinds) for name, kinds in parts.items()}


def _names(record: type[Figures]) -> frozenset[str]:
    return frozenset(record.KEYS.get(name, name) for name in record.__annotations__)
