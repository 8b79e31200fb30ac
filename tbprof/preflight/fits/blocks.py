"""The life of each storage that would be on a GPU: allocated, given back, and what it was for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "parameters", "gradients", "optimizer state", "activations", "inputs", "temporaries"
]
"""What memory holds. Parameters are buffers of modules as well; activations are what a forward made and the
backward found still there."""

Phase: TypeAlias = Literal["forward", "backward", "optimizer"]


@dataclass(slots=True)
class Block:
    """One storage."""

    bytes: int
    device: int
    made: int
    """The number of the event that allocated it."""
    step: int
    """The optimizer step in which it was allocated, from 0."""
    phase: Phase
    module: str
    """The one whose forward ran; of a parameter, its gradient and its state, the one that has it."""
    line: str
    kind: Kind | None = None
    """None where its life has yet to say it."""
    freed: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """Of an operator that needs memory while it runs."""

    after: int
    """The number of the event before it."""
    device: int
    operator: str
    line: str
    inside_bytes: int
    """The most that it had allocated at one moment, its results with it."""


@dataclass(slots=True)
class Log:
    """All blocks, and the order in which they came and went; and the operators that ran meanwhile."""

    blocks: list[Block] = field(default_factory=list)
    events: int = 0
    calls: list[Call] = field(default_factory=list)
    backward_starts: list[int] = field(default_factory=list)
    """The numbers of events at which a backward began."""

    def add(self, block: Block) -> None:
        block.made = self._next()
        self.blocks.append(block)

    def free(self, block: Block) -> None:
        if block.freed is None:
            block.freed = self._next()

    def withdraw(self, block: Block) -> None:
        """It was never on the GPU: a copy to the host takes the mark of its source first."""
        block.bytes = 0

    def in_order(self) -> Iterator[tuple[int, Block, bool]]:
        """Events: number, block, and whether it was allocated."""
        found = [(block.made, block, True) for block in self.blocks if block.bytes]
        found += [
            (block.freed, block, False) for block in self.blocks if block.bytes and block.freed is not None
        ]
        yield from sorted(found, key=lambda event: event[0])

    def _next(self) -> int:
        self.events += 1
        return self.events
