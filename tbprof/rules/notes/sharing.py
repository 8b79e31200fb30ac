"""What findings about a shared device say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import share_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count


def shr01(numbers: Numbers, _: Scope) -> str:
    return f"{count(int(numbers['others']), 'other process', 'other processes')} on the device."


def shr02(numbers: Numbers, scope: Scope) -> str:
    slower = share_of(numbers, "slower")
    part = share_of(numbers, "share")
    return f"In the last half of the steps equal kernels take {slower} longer, {part} of {scope.name}."
