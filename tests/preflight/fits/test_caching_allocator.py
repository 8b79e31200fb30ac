"""The caching allocator's arithmetic, against what its source says and what each sequence must come to."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tbprof.preflight.fits.blocks import CachingAllocator, rounded

MIB = 1 << 20


@pytest.mark.parametrize(("size", "block"), [(1, 512), (512, 512), (513, 1024), (MIB + 1, MIB + 512)])
def test_blocks_are_multiples_of_512_bytes(size: int, block: int) -> None:
    assert rounded(size) == block


@pytest.mark.parametrize(
    ("size", "segment"),
    [(1, 2 * MIB), (MIB, 2 * MIB), (MIB + 1, 20 * MIB), (10 * MIB - 512, 20 * MIB), (21 * MIB, 22 * MIB)],
)
def test_a_first_block_takes_a_segment_of_its_class(size: int, segment: int) -> None:
    allocator = CachingAllocator()
    allocator.allocate(size)
    assert allocator.reserved_bytes == segment


def test_what_is_free_is_used_again_and_neighbors_become_one() -> None:
    allocator = CachingAllocator()
    blocks = [allocator.allocate(4 * MIB) for _ in range(5)]
    assert allocator.reserved_bytes == 20 * MIB
    for block in (blocks[1], blocks[3], blocks[2]):
        allocator.free(block)
    assert allocator.allocate(12 * MIB) == blocks[1]
    assert allocator.reserved_bytes == 20 * MIB


def test_a_hole_that_is_too_small_needs_another_segment() -> None:
    allocator = CachingAllocator()
    blocks = [allocator.allocate(5 * MIB) for _ in range(4)]
    allocator.free(blocks[0])
    allocator.free(blocks[2])
    allocator.allocate(8 * MIB)
    assert allocator.reserved_bytes == 40 * MIB


def test_a_large_block_keeps_a_rest_of_a_mebibyte() -> None:
    allocator = CachingAllocator()
    block = allocator.allocate(21 * MIB)
    allocator.allocate(MIB + 512)
    assert allocator.reserved_bytes == (22 + 20) * MIB
    allocator.free(block)
    assert allocator.allocate(22 * MIB) == block


def test_no_two_blocks_overlap_and_all_that_is_freed_is_whole_again() -> None:
    chance, allocator, live = random.Random(7), CachingAllocator(), dict[int, int]()
    for _ in range(2000):
        if live and chance.random() < 0.5:
            address = chance.choice(list(live))
            del live[address]
            allocator.free(address)
        else:
            size = chance.choice((300, 5000, 700_000, 3 * MIB, 12 * MIB))
            live[allocator.allocate(size)] = rounded(size)
    ends = sorted((start, start + size) for start, size in live.items())
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))
    reserved = allocator.reserved_bytes
    for address in live:
        allocator.free(address)
    for _ in range(3):
        allocator.free(allocator.allocate(20 * MIB))
    assert allocator.reserved_bytes == reserved
