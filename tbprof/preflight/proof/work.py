"""Whether two runs did the same work: as many steps on the same samples, in the same modes and places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tbprof.preflight.proof.record import Batch, SideRecord
from tbprof.preflight.proof.result import paired
from tbprof.records import dataclass

_AHEAD = 3
"""Batches that a loop may have drawn and not used yet."""


@dataclass(frozen=True, slots=True)
class Work:
    """Each figure before and after."""

    steps: tuple[int, int]
    batches: tuple[int, int]
    samples: tuple[int, int]
    """Given by loaders; without loaders, those of different inputs that models were called with."""
    world_size: tuple[int, int]
    difference: str
    """The first one, as a sentence; "" where it is the same work."""


def work_of(before: SideRecord, after: SideRecord) -> Work:
    sides = (before, after)
    return Work(
        steps=(len(before.steps), len(after.steps)),
        batches=(len(before.batches), len(after.batches)),
        samples=(_samples(before), _samples(after)),
        world_size=(sides[0].world_size, sides[1].world_size),
        difference=next(_differences(before, after), ""),
    )


def _samples(side: SideRecord) -> int:
    if side.batches:
        return sum(batch.samples for batch in side.batches)
    return sum(sum(_inputs(side, step).values()) for step in range(len(side.steps)))


def _differences(before: SideRecord, after: SideRecord) -> Iterator[str]:
    if len(before.steps) != len(after.steps):
        yield f"{len(after.steps)} optimizer steps where there were {len(before.steps)}"
    if before.world_size != after.world_size:
        yield f"a world of {after.world_size} processes where there were {before.world_size}"
    (turns, _), (now, line) = before.turns, after.turns
    if turns > 1 < now != turns:
        yield f"the loops around {line} are to take {now} turns, and were to take {turns}"
    yield from _places(before, after)
    if not _have_equal_inputs(before, after):
        yield from _batches(before.batches, after.batches)
        if not before.batches and not after.batches:
            yield from _other_inputs(before, after)
    yield from _modes(before, after)


def _places(before: SideRecord, after: SideRecord) -> Iterator[str]:
    for number, (one, other) in enumerate(zip(before.steps, after.steps, strict=False), 1):
        for old, new in paired(one.tensors, other.tensors).pairs:
            if old.role == "parameter" and old.place != new.place:
                yield f"{new.name} is on {new.place or 'no device'} in step {number}, and was on {old.place}"


def _batches(before: Sequence[Batch], after: Sequence[Batch]) -> Iterator[str]:
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if old.digest != new.digest:
            what = f"{new.samples} samples where there were {old.samples}"
            what = what if old.samples != new.samples else "other samples, or in another order"
            yield f"batch {number}, in step {new.step + 1}, has {what}"
            return
    if not len(before) <= len(after) <= len(before) + _AHEAD:
        yield f"{len(after)} batches are drawn where there were {len(before)}"


def _inputs(side: SideRecord, step: int, *, training: bool | None = None) -> dict[str, int]:
    """The samples of each different input of a step."""
    return {
        given.digest: given.samples
        for given in side.inputs
        if given.step == step and training in (None, given.training)
    }


def _have_equal_inputs(before: SideRecord, after: SideRecord) -> bool:
    """Whether models are given the same in each step, however it was drawn."""
    steps = range(min(len(before.steps), len(after.steps)))
    both = [(_inputs(before, step), _inputs(after, step)) for step in steps]
    return any(old for old, _ in both) and all(old.keys() == new.keys() for old, new in both)


def _other_inputs(before: SideRecord, after: SideRecord) -> Iterator[str]:
    for step in range(len(before.steps)):
        for training, mode in ((True, "training"), (False, "evaluation")):
            old, new = (sum(_inputs(side, step, training=training).values()) for side in (before, after))
            if old != new:
                yield f"models are given {new} samples in {mode} in step {step + 1}, and were given {old}"


def _modes(before: SideRecord, after: SideRecord) -> Iterator[str]:
    for step in range(len(before.steps)):
        old, new = (
            {given.training for given in side.inputs if given.step == step} for side in (before, after)
        )
        if old and new and old != new:
            mode = {True: "training", False: "evaluation"}
            names = [" and ".join(mode[each] for each in sorted(modes)) for modes in (old, new)]
            yield f"models run in {names[1]} mode in step {step + 1}, and ran in {names[0]} mode"
