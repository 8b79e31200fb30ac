"""What findings about fused ops say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import about_of, duration_of, share_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count


def _sequence(numbers: Numbers, scope: Scope) -> str:
    """How often it is written out, and what that takes."""
    times, spent = count(int(numbers["written_out"]), "time"), duration_of(numbers, "per_step_ns")
    each = about_of(numbers, "per_time_ops")
    return (
        f"Written out {times} as {each} ops that launch kernels: {spent} {scope.each}, "
        f"{share_of(numbers, 'share')} of {scope.name}."
    )


fus01 = fus02 = fus03 = fus04 = fus05 = _sequence
