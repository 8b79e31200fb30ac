"""Finds each tensor again after a change: by its name, and where names are others, by order and shape."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.preflight.proof.record import ZERO, Role, TensorState
from tbprof.records import dataclass

ROLES: tuple[Role, ...] = ("gradient", "buffer", "parameter", "optimizer state", "weights kept aside")
"""In the order in which a step makes them."""

_MAY_LACK = ("gradient", "optimizer state")
"""Where one that is zero is as good as none."""


@dataclass(frozen=True, slots=True)
class Paired:
    pairs: tuple[tuple[TensorState, TensorState], ...]
    lost: tuple[TensorState, ...]
    """They have no counterpart after the change."""
    added: tuple[TensorState, ...]


def paired(before: Sequence[TensorState], after: Sequence[TensorState]) -> Paired:
    pairs: list[tuple[TensorState, TensorState]] = []
    lost: list[TensorState] = []
    added: list[TensorState] = []
    for role in ROLES:
        old, new = ([each for each in side if each.role == role] for side in (before, after))
        if role in _MAY_LACK:
            old, new = _without_zeros_of_one(old, new), _without_zeros_of_one(new, old)
        # What is there twice under a name is paired in its order.
        names = {each.name for each in old}
        if len(names) == len(old) and names == {each.name for each in new} and len(new) == len(old):
            by_name = {each.name: each for each in new}
            pairs += [(each, by_name[each.name]) for each in old]
        elif [each.shape for each in old] == [each.shape for each in new]:
            pairs += zip(old, new, strict=True)
        else:
            by_name = {each.name: each for each in new}
            pairs += [(each, by_name.pop(each.name)) for each in old if each.name in by_name]
            lost += [each for each in old if each.name not in {one.name for one in new}]
            added += by_name.values()
    return Paired(tuple(pairs), tuple(lost), tuple(added))


def _without_zeros_of_one(side: list[TensorState], other: list[TensorState]) -> list[TensorState]:
    names = {each.name for each in other}
    return [each for each in side if each.digest != ZERO or each.name in names]
