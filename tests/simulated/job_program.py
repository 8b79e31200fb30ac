"""What the ranks of a simulated job do: their hosts' actions in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Family: TypeAlias = Literal["sync", "loader", "slow device", "uneven work", "gc"]


@dataclass(frozen=True, slots=True)
class StepBegin:
    number: int


@dataclass(frozen=True, slots=True)
class Host:
    """Work of the host, in Python, in the loader or in the garbage collector."""

    ns: int
    kind: Literal["python", "loader", "gc"] = "python"
    line: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    op: str
    module: str
    ns: int
    elements: int


@dataclass(frozen=True, slots=True)
class Copy:
    ns: int


@dataclass(frozen=True, slots=True)
class Sync:
    """The host waits for all that it gave to the compute stream."""

    line: str


@dataclass(frozen=True, slots=True)
class Collective:
    """Begins after the kernels launched before it, on the group's own stream."""

    group: str
    kind: str
    bytes: int
    number: int
    blocks: bool
    """Whether later kernels wait for it."""


@dataclass(frozen=True, slots=True)
class Join:
    """Later kernels wait for all collectives of the group."""

    group: str


Action: TypeAlias = StepBegin | Host | Kernel | Copy | Sync | Collective | Join


@dataclass(frozen=True, slots=True)
class Seeded:
    """What was made to go wrong."""

    family: Family
    rank_of_step: dict[int, int]
    """In which steps, on which rank."""
    line: str = ""
    """Where the family has one."""


@dataclass(frozen=True, slots=True)
class Job:
    ranks: tuple[tuple[Action, ...], ...]
    groups: dict[str, tuple[int, ...]]
    warm_up: int
    """Steps before those that are recorded."""
    clock_ns: tuple[int, ...]
    """By rank: what its clock shows at the beginning."""
    records_shapes: bool
    records_numbers: bool
    seeded: Seeded
    second: Seeded | None = None
    """What goes wrong on the same rank beside it."""
    traits: frozenset[str] = field(default_factory=frozenset)
