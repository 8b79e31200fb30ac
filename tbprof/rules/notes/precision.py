"""What findings about precision say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, share_of
from tbprof.texts.figures.places import Scope


def _products(numbers: Numbers, scope: Scope) -> str:
    """What the products take, and how much faster tensor cores are on paper."""
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    return (
        f"Products in float32 take {spent} {scope.each}, {part} of {scope.name}; on this device tensor cores "
        f"are up to {float(numbers['rate']):g} times as fast."
    )


prc01 = prc02 = _products


def prc03(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    kernels = (
        f"Kernels that read less than 16 bytes at once take {spent} {scope.each}, {part} of {scope.name}"
    )
    return f"{kernels}; most of it for {numbers['inputs']}." if numbers["inputs"] else f"{kernels}."


def prc04(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    return f"Reordering takes {spent} {scope.each}, {part} of {scope.name}."


def prc05(numbers: Numbers, scope: Scope) -> str:
    part = share_of(numbers, "share")
    convolutions = f"{int(numbers['convolutions']):,} convolutions of the same shapes each step"
    return f"{convolutions} take {part} of {scope.name}."


def prc06(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    convolutions = f"{int(numbers['biased']):,} of {int(numbers['pairs']):,} convolutions before a batch norm"
    return f"{convolutions} add a bias: {spent} {scope.each}, {part} of {scope.name}."


def prc07(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    return f"Kernels in float64 take {spent} {scope.each}, {part} of {scope.name}."
