"""How far tensors of two runs are apart, and whether the program's own rounding explains it.

It is imported late, since it needs torch: where all is equal there is nothing to measure.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import torch
from torch import Tensor

from tbprof.preflight.proof.record import ZERO, SideRecord, StepState, TensorState
from tbprof.preflight.proof.result import Difference, differing, differs, structure
from tbprof.records import dataclass

_ROOM = 16
"""A run that rounds otherwise is one of many: another may be so many times as far away."""


@dataclass(frozen=True, slots=True)
class Noise:
    """How far the program is from itself, where a change is first seen."""

    absolute: float
    relative: float


@dataclass(frozen=True, slots=True)
class Run:
    """A run and the file that has values of its tensors."""

    record: SideRecord
    values: Path

    def of(self, state: TensorState) -> Tensor | None:
        """Its values as float64, flat; None where they were not kept."""
        if state.digest == ZERO:
            return torch.zeros(math.prod(state.shape), dtype=torch.float64)
        if state.at is None:
            return None
        dtype: torch.dtype = getattr(torch, state.dtype)
        size = torch.empty((), dtype=dtype).element_size() * math.prod(state.shape)
        with self.values.open("rb") as file:
            file.seek(state.at)
            held = torch.frombuffer(bytearray(file.read(size)), dtype=dtype)
        return (torch.view_as_real(held) if held.is_complex() else held).double().flatten()


def measured(difference: Difference, before: Run, after: Run) -> Difference:
    """The difference with its size, where it is one of values."""
    old, new = (run.record.steps[difference.step - 1] for run in (before, after))
    for one, other in differing(old, new):
        if difference.sentence == differs(other):
            apart = _apart(before.of(one), after.of(other))
            if apart is not None:
                absolute, relative = apart
                return dataclasses.replace(difference, absolute=absolute, relative=relative)
    return difference


def explained(difference: Difference, before: Run, after: Run, other: Run) -> tuple[bool | None, Noise]:
    """Whether all differences of all steps are within what the program differs from itself.

    None where there were too many values to keep, and those that were kept are within it.

    Args:
        difference: The first one.
        before: The program before the change.
        after: The program after it.
        other: The program before the change, which rounds in another way.
    """
    own: dict[str, Noise] = defaultdict(lambda: Noise(0.0, 0.0))
    at_first, is_within, are_known = Noise(0.0, 0.0), True, True
    steps = zip(before.record.steps, after.record.steps, other.record.steps, strict=False)
    for number, (old, new, rounded) in enumerate(steps, 1):
        _add_noise(own, before, other, (old, rounded))
        changed = differing(old, new)
        if number == difference.step:
            named = (one for one, now in changed if now.name == difference.name)
            at_first = next((own[_key(one)] for one in named if one.role in difference.sentence), at_first)
        is_within = is_within and not any(structure(number, old, new))
        are_known = are_known and all(_is_kept(each) for pair in changed for each in pair)
        usual = _usual_share(own)
        is_within = is_within and all(
            _is_within(before.of(one), after.of(now), own[_key(one)].absolute, usual) for one, now in changed
        )
    return None if is_within and not are_known else is_within, at_first


def _add_noise(own: dict[str, Noise], before: Run, other: Run, steps: tuple[StepState, StepState]) -> None:
    """Take in how far the program is from itself in one step; it stays as far."""
    for one, rounded in differing(*steps):
        apart = _apart(before.of(one), other.of(rounded))
        if apart is not None:
            known = own[_key(one)]
            own[_key(one)] = Noise(max(known.absolute, apart[0]), max(known.relative, apart[1]))


def _is_kept(state: TensorState) -> bool:
    return state.at is not None or state.digest == ZERO


def _key(state: TensorState) -> str:
    return f"{state.role} {state.name}"


def _usual_share(own: Mapping[str, Noise]) -> float:
    """The share of its largest value that a tensor usually is away: one may stay the same by chance."""
    return median([each.relative for each in own.values() if each.relative] or [0.0])


def _is_within(old: Tensor | None, new: Tensor | None, own: float, usual: float) -> bool:
    apart = _apart(old, new)
    # What was not kept is for the caller to say.
    return (
        old is None or new is None or (apart is not None and (apart[0] <= _ROOM * own or apart[1] <= usual))
    )


def _apart(old: Tensor | None, new: Tensor | None) -> tuple[float, float] | None:
    """The largest difference, and its share of the largest value; None where values lack."""
    if old is None or new is None or old.shape != new.shape:
        return None
    # What is infinite or no number on both sides is the same.
    same = (old == new) | (old.isnan() & new.isnan())
    absolute = float(torch.where(same, 0.0, (old - new).abs()).max())
    scale = float(old.nan_to_num(0.0, 0.0, 0.0).abs().max())
    return absolute, absolute / scale if scale else float("inf")
