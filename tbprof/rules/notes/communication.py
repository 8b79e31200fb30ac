"""What findings about communication say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, number_of, share_of
from tbprof.texts.figures.places import Scope


def dst01(numbers: Numbers, scope: Scope) -> str:
    exposed = duration_of(numbers, "exposed_per_step_ns")
    part = f"{share_of(numbers, 'share')} of {scope.name}"
    said = f"{numbers['place']}: {exposed} {scope.each}, {part}, with nothing computed beside it."
    if not int(numbers["waiting_per_step_ns"]):
        return said
    waiting = duration_of(numbers, "waiting_per_step_ns")
    return f"{said} By the size of its messages at least {waiting} of that is waiting for other ranks."


_DOES = {
    "gradient_as_bucket_view=True": "gradients are copied back from their buckets",
    "broadcast_buffers=False": "buffers are sent before the forward, with nothing computed beside it",
    "find_unused_parameters=False": "the GPU is idle while the graph is searched for unused parameters",
}
"""By the option to pass, what happens without it."""


def dst03(numbers: Numbers, scope: Scope) -> str:
    option = str(numbers["place"])
    spent = (
        f"{duration_of(numbers, 'per_step_ns')} {scope.each}, {share_of(numbers, 'share')} of {scope.name}"
    )
    return f"Without `{option}` {_DOES[option]}: {spent}."


def dst04(numbers: Numbers, scope: Scope) -> str:
    exposed, count = duration_of(numbers, "exposed_per_step_ns"), number_of(numbers, "per_step")
    beside = f"{exposed} with nothing computed beside them"
    return f"{numbers['place']}: {count} small collectives {scope.each}, {beside}."


def dst05(numbers: Numbers, scope: Scope) -> str:
    waiting, part = duration_of(numbers, "waiting_per_step_ns"), share_of(numbers, "share_of_wait")
    return f"For {waiting} {scope.each}, {part} of the wait, the GPU communicated and computed nothing."


def dst06(numbers: Numbers, scope: Scope) -> str:
    count, exposed = number_of(numbers, "collectives_per_step"), duration_of(numbers, "exposed_per_step_ns")
    beside = f"{exposed} with nothing computed beside them"
    passes = number_of(numbers, "passes")
    return f"{count} collectives {scope.each} are sent before the last pass, {beside} ({passes} passes)."


def dst07(numbers: Numbers, scope: Scope) -> str:
    count, longer = number_of(numbers, "copies_per_step"), duration_of(numbers, "longer_per_step_ns")
    part = share_of(numbers, "longer_share")
    return (
        f"{count} copies {scope.each} run beside communication and take {part}, {longer}, longer than others."
    )


def dst09(numbers: Numbers, scope: Scope) -> str:
    count, longer = number_of(numbers, "kernels_per_step"), duration_of(numbers, "longer_per_step_ns")
    part = share_of(numbers, "longer_share")
    beside = f"{count} kernels {scope.each} run beside communication"
    return f"{beside} and take {part}, {longer}, longer than their like without it."
