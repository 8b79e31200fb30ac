"""The arithmetic of torch's caching allocator for CUDA, without its memory.

The sizes and the rules are those of `c10/cuda/CUDACachingAllocator.cpp` (`round_size`, `get_free_block`,
`should_split`, `get_allocation_size`, `free_block`) as it works unless `PYTORCH_CUDA_ALLOC_CONF` says
otherwise: one stream, no limit on splitting, no expandable segments, and no lack of memory, at which it would
give segments back that are free.
"""

from __future__ import annotations

from bisect import bisect_left, insort

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
        """Of all segments; none is ever given back."""
        self._end = 0
        self._sizes: dict[int, int] = {}
        """Of blocks, by address, in use and free."""
        self._starts: dict[int, int] = {}
        """Of blocks by where they end."""
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
