"""Jobs by seed, in which one thing goes wrong on one rank at a time."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from job_program import (
    Action,
    Collective,
    Copy,
    Family,
    Host,
    Job,
    Join,
    Kernel,
    Seeded,
    StepBegin,
    Sync,
)

FAMILIES: tuple[Family, ...] = ("sync", "loader", "slow device", "uneven work", "gc")
STYLES = ("overlapped", "blocking", "pairs")
"""Gradients in buckets beneath the backward pass; a collective after each layer; both, in two kinds of
groups."""

WORLD = "world"
_LOADER_LINE = "data.py:41"
_LOGGING_LINE = "train.py:88"
_SEEDED_LINES = {"sync": "callbacks.py:17", "loader": _LOADER_LINE, "gc": "train.py:60"}
_OPS = ("aten::mm", "aten::scaled_dot_product_attention", "aten::native_layer_norm", "aten::gelu")


@dataclass(frozen=True, slots=True)
class _Shape:
    """Of the program that all ranks run."""

    style: str
    layers: int
    kernel_ns: int
    host_ns: int
    """Of Python between two layers."""
    bytes: int
    logs: bool
    """Whether every rank reads its loss in each step."""
    steps: int
    warm_up: int


class _Work(NamedTuple):
    """How much more a rank has to do in one step."""

    products: float
    """Grows with the length of its batch, and with it what all ops but the next read."""
    attention: float


_MOST_STEPS = 9


def random_job(seed: int, *, with_cause: bool = True) -> Job:
    """The job of this seed; without its cause it is the same but for what the cause adds."""
    return _job(seed, () if with_cause else ("first",), has_second=False)


def mixed_job(seed: int, *, without: Collection[Literal["first", "second"]] = ()) -> Job:
    """The job of this seed, in which its late rank has a second cause of another family in the same steps."""
    return _job(seed, without, has_second=True)


def drawn_job(seed: int, size: int, *, is_balanced: bool = False) -> Job:
    """The job of this seed, in which each rank draws the length of its batch for each step.

    Args:
        seed: Of the job.
        size: How many ranks it has.
        is_balanced: Whether each rank has the mean of the work instead.
    """
    lengths = _lengths(seed, size, is_balanced=is_balanced)
    job = _job(seed, ("first",), has_second=False, lengths=lengths)
    longest = {step: row.index(max(row)) for step, row in enumerate(lengths)}
    return replace(job, seeded=Seeded("uneven work", longest))


def _lengths(seed: int, size: int, *, is_balanced: bool) -> list[list[_Work]]:
    draw = random.Random(f"{seed} lengths")
    spread = draw.uniform(0.05, 0.4)
    found = []
    for _ in range(_MOST_STEPS):
        drawn = [draw.lognormvariate(0, spread) for _ in range(size)]
        if is_balanced:
            mean = _Work(sum(drawn) / size, sum(one**2 for one in drawn) / size)
            found.append([mean] * size)
        else:
            found.append([_Work(one, one**2) for one in drawn])
    return found


def _job(
    seed: int, without: Collection[str], *, has_second: bool, lengths: Sequence[Sequence[_Work]] = ()
) -> Job:
    draw = random.Random(seed)
    size = draw.randint(2, 16)
    size = len(lengths[0]) if lengths else size
    style = draw.choice(STYLES)
    if style == "pairs":
        size = max(size // 2 * 2, 4)
    shape = _shape(draw, style)
    seeded = _seeded(draw, size, shape)
    strength = draw.uniform(0.08, 0.5)
    groups = {WORLD: tuple(range(size))}
    if style == "pairs":
        groups |= {f"pair {at}": (2 * at, 2 * at + 1) for at in range(size // 2)}
    clock = tuple(draw.randint(0, 50_000_000) for _ in range(size))
    records_shapes, records_numbers = draw.random() < 0.5, draw.random() < 0.5
    second, its_strength = _second(random.Random(f"{seed} second"), seeded, strength)
    causes = [(seeded, strength)] if "first" not in without else []
    if has_second and "second" not in without:
        causes.append((second, its_strength))
    writers = (
        _Writer(
            random.Random(f"{seed} {rank}"),
            shape,
            causes,
            rank,
            has_second=has_second,
            works=[row[rank] for row in lengths],
        )
        for rank in range(size)
    )
    return Job(
        ranks=tuple(writer.actions() for writer in writers),
        groups=groups,
        warm_up=shape.warm_up,
        clock_ns=clock,
        records_shapes=records_shapes,
        records_numbers=records_numbers,
        seeded=seeded,
        second=second if has_second else None,
        traits=frozenset({style, seeded.family}),
    )


def _shape(draw: random.Random, style: str) -> _Shape:
    kernel_ns = draw.randint(100_000, 1_500_000)
    is_device_bound = draw.random() < 0.6
    return _Shape(
        style=style,
        layers=draw.randint(4, 12),
        kernel_ns=kernel_ns,
        host_ns=int(kernel_ns * (draw.uniform(0.3, 1.5) if is_device_bound else draw.uniform(3.0, 6.0))),
        bytes=draw.randint(500_000, 20_000_000),
        logs=draw.random() < 0.7,
        steps=draw.randint(4, 7),
        warm_up=2,
    )


def _seeded(draw: random.Random, size: int, shape: _Shape) -> Seeded:
    family = draw.choice(FAMILIES)
    rank = draw.randrange(size)
    steps = range(shape.warm_up + shape.steps)
    if family == "uneven work":
        ranks = {step: draw.randrange(size) for step in steps}
    elif family == "gc":
        every = draw.choice((1, 2, 3))
        ranks = {step: draw.randrange(size) for step in steps if step % every == 0}
    else:
        every = draw.choice((1, 1, 2)) if family != "slow device" else 1
        ranks = {step: rank for step in steps if step % every == 0}
    return Seeded(family, ranks, _SEEDED_LINES.get(family, ""))


def _second(draw: random.Random, first: Seeded, strength: float) -> tuple[Seeded, float]:
    """One of another family on the same rank, from a quarter as strong to four times as strong."""
    family = draw.choice([one for one in FAMILIES if one != first.family])
    its_strength = strength * 4 ** draw.uniform(-1, 1)
    return Seeded(family, first.rank_of_step, _SEEDED_LINES.get(family, "")), its_strength


class _Writer:
    """Writes the actions of one rank. What causes add is drawn from nothing: the rest stays as it is."""

    def __init__(
        self,
        draw: random.Random,
        shape: _Shape,
        causes: Sequence[tuple[Seeded, float]],
        rank: int,
        *,
        has_second: bool,
        works: Sequence[_Work] = (),
    ) -> None:
        self._works = works
        self._draw = draw
        self._shape = shape
        self._causes = causes
        # What follows a sync at once is taken for a part of it.
        self._gc_after = shape.layers // 2 if has_second else 0
        self._rank = rank
        self._numbers: dict[str, int] = {}
        self._step_ns = shape.layers * 3 * (shape.kernel_ns * 2 + shape.host_ns // 2)

    def actions(self) -> tuple[Action, ...]:
        shape = self._shape
        return tuple(action for step in range(shape.warm_up + shape.steps) for action in self._step(step))

    def _strength(self, family: Family, step: int) -> float:
        """0 where it is not there."""
        return sum(
            strength
            for seeded, strength in self._causes
            if seeded.family == family and seeded.rank_of_step.get(step) == self._rank
        )

    def _extra(self, family: Family, step: int, kind: Literal["python", "gc"]) -> list[Action]:
        strength = self._strength(family, step)
        return [Host(int(strength * self._step_ns), kind, _SEEDED_LINES[family])] if strength else []

    def _host(self, ns: float, line: str = "train.py:50") -> Host:
        return Host(int(ns * self._draw.lognormvariate(0, 0.08)), "python", line)

    def _step(self, step: int) -> list[Action]:
        shape = self._shape
        loading = self._draw.randint(30_000, 120_000)
        loading += int(self._strength("loader", step) * self._step_ns)
        found: list[Action] = [StepBegin(step), Host(loading, "loader", _LOADER_LINE), Copy(60_000)]
        middle = self._draw.randrange(shape.layers)
        for layer in range(shape.layers):
            found += self._layer(step, layer, "forward")
            if layer == middle and (extra := self._extra("sync", step, "python")):
                found += [Sync(_SEEDED_LINES["sync"]), *extra]
            if layer == (middle + self._gc_after) % shape.layers:
                found += self._extra("gc", step, "gc")
        for layer in reversed(range(shape.layers)):
            found += self._layer(step, layer, "backward")
            if shape.style != "blocking" and layer % 2 == 0:
                found.append(self._collective(WORLD, blocks=False))
        found.append(Join(WORLD))
        if shape.style == "blocking":
            found.append(self._collective(WORLD, blocks=True))
        found += [self._kernel(step, "aten::_fused_adamw_", "optimizer") for _ in range(3)]
        return [*found, Sync(_LOGGING_LINE), self._host(50_000, _LOGGING_LINE)] if shape.logs else found

    def _layer(self, step: int, layer: int, phase: str) -> list[Action]:
        shape = self._shape
        found: list[Action] = [self._host(shape.host_ns)]
        found += [self._kernel(step, op, f"layers.{layer}") for op in _OPS]
        if shape.style == "blocking":
            found.append(self._collective(WORLD, blocks=True))
        elif shape.style == "pairs" and phase == "forward":
            found.append(self._collective(f"pair {self._rank // 2}", blocks=True))
        return found

    def _kernel(self, step: int, op: str, module: str) -> Kernel:
        ns = self._shape.kernel_ns * (0.4 + 0.6 * (_OPS.index(op) if op in _OPS else 1) / len(_OPS))
        elements = 1 << 20
        ns *= 1 + self._strength("slow device", step)
        if (longer := 1 + self._strength("uneven work", step)) > 1 and op in _OPS:
            ns *= longer**2 if "attention" in op else longer
            elements = int(elements * longer)
        if self._works and op in _OPS:
            work = self._works[step]
            ns *= work.attention if "attention" in op else work.products
            elements = int(elements * work.products)
        return Kernel(op, module, int(ns * self._draw.lognormvariate(0, 0.01)), elements)

    def _collective(self, group: str, *, blocks: bool) -> Collective:
        number = self._numbers.get(group, 0)
        self._numbers[group] = number + 1
        return Collective(group, "all_reduce", self._shape.bytes, number, blocks)
