"""What findings about inference say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.notes import duration_of, number_of
from tbprof.texts.figures.scopes import Scope

__all__ = ["inf01", "inf02"]


def inf01(numbers: Numbers, scope: Scope) -> str:
    return (
        f"{int(numbers['calls']):,} calls drop something, {duration_of(numbers, 'per_step_ns')} {scope.each}."
    )


def inf02(numbers: Numbers, scope: Scope) -> str:
    nodes = f"{number_of(numbers, 'per_step')} nodes {scope.each}"
    return f"Autograd makes {nodes} for a backward pass that is not there."
