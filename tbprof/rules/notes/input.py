"""What findings about the input pipeline say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, share_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import size


def _loading(numbers: Numbers, scope: Scope) -> str:
    """What the device is idle for the loader."""
    exposed, part = duration_of(numbers, "exposed_per_step_ns"), share_of(numbers, "share")
    return f"The GPU is idle {exposed} {scope.each} for it, {part} of {scope.name}."


dat01 = dat02 = _loading


def dat03(numbers: Numbers, scope: Scope) -> str:
    exposed, workers = duration_of(numbers, "exposed_per_step_ns"), int(numbers["workers"])
    late = f"{workers} workers are late by {exposed} {scope.each}"
    return f"{late}: {int(numbers['enough'])} would keep up, if the machine has the cores."


def dat04(numbers: Numbers, _: Scope) -> str:
    uploads = (
        f"{int(numbers['uploads']):,} large copies of {size(int(numbers['bytes']))} from pageable memory"
    )
    return f"{uploads}, and no loader pins."


def dat05(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "loading_per_step_ns"), share_of(numbers, "share")
    return f"The training thread loads data for {spent} {scope.each}, {part} of {scope.name}."
