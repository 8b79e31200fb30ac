"""What findings about memory say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.notes import duration_of, share_of
from tbprof.texts.figures.quantities import count
from tbprof.texts.figures.scopes import Scope

__all__ = ["mem02", "mem04"]


def mem02(numbers: Numbers, _: Scope) -> str:
    frees = count(int(numbers["frees"]), "block was freed", "blocks were freed")
    again = f"{int(numbers['allocations']):,} allocated"
    return f"{frees} and {again}, {duration_of(numbers, 'call_ns')} in the calls."


def mem04(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    return f"The second forward pass takes {spent} {scope.each}, {part} of {scope.name}."
