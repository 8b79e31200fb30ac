"""What findings about fused ops say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.notes import duration_of, number_of, share_of
from tbprof.texts.figures.scopes import Scope

__all__ = ["fus01", "fus02", "fus03", "fus04", "fus05"]


def _sequence(numbers: Numbers, scope: Scope) -> str:
    """How often it is written out, and what that takes."""
    times, spent = int(numbers["written_out"]), duration_of(numbers, "per_step_ns")
    each = number_of(numbers, "per_time_ops")
    return (
        f"Written out {times:,} times as {each} ops that launch kernels: {spent} {scope.each}, "
        f"{share_of(numbers, 'share')} of {scope.name}."
    )


fus01 = fus02 = fus03 = fus04 = fus05 = _sequence
