"""The life of each storage that would be on a GPU: allocated, given back, and what it was for.

The arithmetic of torch's caching allocator for CUDA, without its memory.

The sizes and the rules are those of `c10/cuda/CUDACachingAllocator.cpp` (`round_size`, `get_free_block`,
`should_split`, `get_allocation_size`, `free_block`) as it works unless `PYTORCH_CUDA_ALLOC_CONF` says
otherwise: one stream, no limit on splitting, no expandable segments, and no lack of memory, at which it would
give segments back that are free.
"""

from __future__ import annotations

from bisect import bisect_left, insort
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
    """A call of an operator that needs memory while it runs."""

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


_MIN_BLOCK = 512
_SMALL_SIZE = 1 << 20
_SMALL_SEGMENT = 2 << 20
_LARGE_SEGMENT = 20 << 20
_LARGE_ALLOCATION = 10 << 20
_LARGE_ROUNDING = 2 << 20


def rounded(size_bytes: int) -> int:
    """What a block of so many bytes takes."""
    return _up(max(size_bytes, _MIN_BLOCK), _MIN_BLOCK)


class CachingAllocator:
    """Segments, and the free blocks in them: the smallest that is large enough is taken."""

    def __init__(self) -> None:
        self.reserved_bytes = 0
        """The bytes of all segments; none is ever given back."""
        self._end = 0
        self._sizes: dict[int, int] = {}
        """The sizes of blocks, in use and free, by address."""
        self._starts: dict[int, int] = {}
        """The starts of blocks by where they end."""
        self._free: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        """Size and address of free blocks, in the pool of the small and of the large ones."""
        self._is_small: dict[int, bool] = {}
        """The pool of a block, by address."""

    def allocate(self, size_bytes: int) -> int:
        """The address of a new block."""
        size = rounded(size_bytes)
        is_small = size <= _SMALL_SIZE
        free = self._free[is_small]
        found = bisect_left(free, (size, -1))
        available, address = free.pop(found) if found < len(free) else self._new_segment(size)
        left = available - size
        if not (left >= _MIN_BLOCK if is_small else left > _SMALL_SIZE):
            size, left = available, 0
        self._put(address, size, is_small)
        if left:
            self._put(address + size, left, is_small)
            insort(free, (left, address + size))
        return address

    def free(self, address: int) -> None:
        """Give a block back; free neighbors in its segment become one with it."""
        is_small = self._is_small[address]
        free, size = self._free[is_small], self._sizes[address]
        for neighbor in (self._starts.get(address), address + size):
            if neighbor is None or (other := self._sizes.get(neighbor)) is None:
                continue
            at = bisect_left(free, (other, neighbor))
            if at < len(free) and free[at] == (other, neighbor):
                del free[at]
                self._drop(neighbor)
                self._drop(address)
                address, size = min(address, neighbor), size + other
                self._put(address, size, is_small)
        insort(free, (size, address))

    def _new_segment(self, size: int) -> tuple[int, int]:
        segment = _segment_bytes(size)
        # No two segments lie side by side, so that none grows into another.
        address = self._end + 1
        self._end = address + segment
        self.reserved_bytes += segment
        return segment, address

    def _put(self, address: int, size: int, is_small: bool) -> None:
        self._sizes[address], self._is_small[address] = size, is_small
        self._starts[address + size] = address

    def _drop(self, address: int) -> None:
        del self._starts[address + self._sizes.pop(address)], self._is_small[address]


def _segment_bytes(size: int) -> int:
    if size <= _SMALL_SIZE:
        return _SMALL_SEGMENT
    return _LARGE_SEGMENT if size < _LARGE_ALLOCATION else _up(size, _LARGE_ROUNDING)


def _up(size: int, to: int) -> int:
    return -(-size // to) * to
