"""Reports of every shape that the model allows, built from its type hints."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tbprof.model import Figures, Report
from tbprof.rules.words import OtherVersion

_INT64 = st.integers(-(2**63), 2**63 - 1)
# protobuf holds no lone surrogates, and neither does a trace that was read.
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: _TEXT,
    bool: st.booleans(),
    int: _INT64,
    float: _FLOATS,
    type(None): st.none(),
}


def reports() -> st.SearchStrategy[Report]:
    """Any report at all: its indexes need not lead anywhere."""
    return _of(Report)


def _of(hint: Any) -> st.SearchStrategy[Any]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return st.one_of(*(_of(part) for part in parts))
    if origin is tuple:
        return st.lists(_of(parts[0]), max_size=3).map(tuple)
    if origin is typing.Literal:
        return st.sampled_from(parts)
    if origin is Mapping:
        return st.dictionaries(_TEXT, _of(parts[1]), max_size=3)
    if hint is Figures:
        return st.builds(OtherVersion, st.dictionaries(_TEXT, _of(int | float | str), min_size=1, max_size=3))
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return st.builds(hint, **{name: _of(inner) for name, inner in hints.items()})
    return _SCALARS[getattr(hint, "__supertype__", hint)]
