"""Steps in which the allocator gives memory back to the device and asks for it again.

It gives its cache back at once, block after block. Without a cache the driver allocates and frees each
tensor: about as many calls as kernels, and frees in many short bursts, as the tensors die.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, intersect, union
from tbprof.analysis.names import matching_rows
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category

MIN_BURSTS = 20
"""In a window; few of them can be as many flushes."""

MOST_AT_ONCE = 4
"""Blocks that a burst frees on average: the tensors that die together, where a cache holds many more."""

LEAST_OF_KERNELS = 0.25
"""Allocations for each kernel. Most ops allocate their result, and from a cache hardly any needs the
driver: at most 0.02 in public traces with one, 0.6 in one without."""

_MALLOC = r"(?:cuda|hip)Malloc$"
_NEVER = np.iinfo(np.int64).max
_EMPTY_CACHE = r".*torch[/\\]cuda[/\\]memory\.py\(\d+\): empty_cache"


@dataclass(frozen=True, slots=True, eq=False)
class CacheFlushes:
    """On training lanes, in the steps that hold a flush; the first of several steps is none of them."""

    frames: Int64s
    """Rows of the Python frames of `torch.cuda.empty_cache`."""
    frees: Int64s
    mallocs: Int64s
    idle: Intervals
    """Idle of the busiest device in these steps that the allocator caused."""
    calls: Intervals
    """When the host frees and allocates in these steps, and in the first one if it flushes too."""
    is_uncached: bool
    """Whether there is no cache: each tensor is allocated and freed by the driver."""


def find_cache_flushes(facts: Facts) -> CacheFlushes:
    """A step holds one if it calls `empty_cache`, or the allocator flushes and then allocates again."""
    frames, frees, mallocs = every = _calls_in_steps(facts, facts.frees.flushing)
    is_uncached = not len(frames) and _is_uncached(facts, mallocs)
    if is_uncached:
        frames, frees, mallocs = every = _calls_in_steps(facts, facts.frees.every)
    frames, frees, mallocs = (_after_set_up(facts, rows) for rows in every)
    flushed = _are_flushed(facts, frames, frees, mallocs)
    within = union(facts.steps.gpu_start_ns[flushed], facts.steps.gpu_end_ns[flushed])
    return CacheFlushes(
        frames=frames[flushed[_step(facts, frames)]],
        frees=frees[flushed[_step(facts, frees)]],
        mallocs=mallocs[flushed[_step(facts, mallocs)]],
        idle=intersect(facts.idle_of("allocator"), within),
        calls=_calls(facts, every, flushed),
        is_uncached=is_uncached,
    )


def _calls_in_steps(facts: Facts, frees: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Frames of `empty_cache`, these frees, and allocations."""
    frames = matching_rows(facts.trace, _EMPTY_CACHE, Category.PYTHON)
    mallocs = matching_rows(facts.trace, _MALLOC, Category.RUNTIME)
    return _in_steps(facts, frames), _in_steps(facts, frees), _in_steps(facts, mallocs)


def _is_uncached(facts: Facts, mallocs: Int64s) -> bool:
    slices, work = facts.trace.slices, facts.work
    frees, mallocs, kernels = (
        _after_set_up(facts, rows)
        for rows in (
            _in_steps(facts, facts.frees.every),
            mallocs,
            work.launch[facts.kernels_in_steps],
        )
    )
    rows = np.concatenate([frees, mallocs])
    is_free = np.arange(len(rows)) < len(frees)
    is_free = is_free[np.lexsort((slices.start_ns[rows], slices.lane[rows]))]
    bursts = int(np.count_nonzero(np.diff(is_free.astype(np.int8), prepend=0) == 1))
    return (
        bursts >= max(MIN_BURSTS, len(frees) / MOST_AT_ONCE)
        and len(mallocs) >= LEAST_OF_KERNELS * len(kernels) > 0
    )


def _calls(facts: Facts, every: tuple[Int64s, ...], flushed: npt.NDArray[np.bool_]) -> Intervals:
    """The frames, frees and allocations in such steps; in the first, too, from its first flush on."""
    slices = facts.trace.slices
    flushes, rows = np.concatenate(every[:2]), np.concatenate(every)
    in_first = slices.start_ns[flushes[_step(facts, flushes) == 0]]
    begun_ns = int(in_first.min()) if len(in_first) and flushed.any() else _NEVER
    too = (_step(facts, rows) == 0) & (slices.start_ns[rows] >= begun_ns)
    rows = rows[flushed[_step(facts, rows)] | too]
    return union(slices.start_ns[rows], slices.end_of(rows))


def _are_flushed(facts: Facts, frames: Int64s, frees: Int64s, mallocs: Int64s) -> npt.NDArray[np.bool_]:
    """Whether each step is flushed; what one frees may be allocated again in the next one."""
    start_ns, count = facts.trace.slices.start_ns, len(facts.steps)
    first_free = np.full(count, _NEVER)
    np.minimum.at(first_free, _step(facts, frees), start_ns[frees])
    last_malloc = np.full(count + 1, -_NEVER)
    np.maximum.at(last_malloc, _step(facts, mallocs), start_ns[mallocs])
    flushed: npt.NDArray[np.bool_] = np.maximum(last_malloc[:-1], last_malloc[1:]) > first_free
    flushed[_step(facts, frames)] = True
    return flushed


def _in_steps(facts: Facts, rows: Int64s) -> Int64s:
    """The calls on training lanes, in a step."""
    rows = rows[is_among(facts.trace.slices.lane[rows], facts.training_threads)]
    kept: Int64s = rows[_step(facts, rows) != NONE]
    return kept


def _after_set_up(facts: Facts, rows: Int64s) -> Int64s:
    """The calls that are not in the first of several steps: memory is set up there."""
    set_up = (_step(facts, rows) == 0) & (len(facts.steps) > 1)
    kept: Int64s = rows[~set_up]
    return kept


def _step(facts: Facts, rows: Int64s) -> Int64s:
    return facts.steps.index_of(facts.trace.slices.start_ns[rows])
