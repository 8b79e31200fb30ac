"""What findings about compilation say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.notes import duration_of, share_of
from tbprof.texts.figures.scopes import Scope

__all__ = ["cmp01"]


def cmp01(numbers: Numbers, scope: Scope) -> str:
    idle, part = duration_of(numbers, "idle_per_step_ns"), share_of(numbers, "share")
    return f"Compiling leaves the GPU idle for {idle} {scope.each}, {part} of {scope.name}."
