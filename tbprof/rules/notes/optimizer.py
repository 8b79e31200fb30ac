"""What findings about the optimizer say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, number_of, share_of
from tbprof.texts.figures.places import Scope


def _optimizer(numbers: Numbers, scope: Scope) -> str:
    """How many kernels a call launches."""
    kernels, spent = number_of(numbers, "kernels"), duration_of(numbers, "per_step_ns")
    return (
        f"{numbers['place']}: {kernels} kernels a call, {spent} {scope.each}, "
        f"{share_of(numbers, 'share')} of {scope.name}."
    )


opt01 = opt02 = opt03 = _optimizer
