"""What is allocated in each step and not given back: memory that grows.

Two shapes are known. Kept: in every step a place of the program allocates blocks that are still there at the
window's end, as with tensors that are put into a list. Replaced: what a place holds at the ends of the steps
grows by the same amount each time, as with a tensor that is concatenated with the next piece.

The first step may fill what later ones reuse, and blocks of the last one may still be in use: both are left
out. Where as much memory from before the window is given back in the steps, old blocks make room for new
ones, as in a queue that is full; on the CPU that is not recorded.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import climbed
from tbprof.analysis.figures.memory_blocks import (
    Blocks,
    DeviceMemory,
    allocating_calls,
    owners_of_calls,
    window_memory,
)
from tbprof.analysis.figures.operators import find_operators, forward_calls
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, median

ENOUGH_STEPS = 4
"""The first and the last one, and two between them that agree."""
_ENOUGH_REPLACED = 5
"""At the ends of all but the last: three increments that are alike are no chance."""
_ALIKE = 1.1
_MOST_ENDS = 8
_SEVERAL = 2
"""A single result is kept for itself; with its graph, those of its inputs are as well."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """The growth of one device, in a median step between the first and the last."""

    device: str
    operator: str | None
    """Where most of it is allocated, as `Holder` says it."""
    module: str | None
    source: Source | None
    bytes_per_step: int
    """There."""
    all_bytes_per_step: int
    """In all places whose memory grows."""
    peak_bytes: int
    """The peak of the device."""
    is_graph: bool
    """Whether each step keeps results of several operators that autograd recorded: those of a graph."""
    may_replace_older: bool
    """Whether nobody can tell if as much from before the window is given back: on the CPU torch does not
    record that a block is freed which was there when the profiler started."""
    calls: Int64s
    """Rows of the operators that allocated it there; each holds at least one such block."""


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """Blocks of one device that the window saw allocated in a step."""

    blocks: Blocks
    at: Int64s
    """The positions among all blocks."""
    step: Int64s
    code: Int64s
    call: Int64s
    ends: Int64s
    """The last event of each step."""
    places: int


def find_growth(facts: Facts) -> tuple[Growth, ...]:
    """The growth of each device whose memory grows, GPUs first; needs addresses and `ENOUGH_STEPS` steps."""
    if not facts.steps.recorded or len(facts.steps) < ENOUGH_STEPS:
        return ()
    found = (_of_device(facts, device) for device in facts.once(window_memory))
    return tuple(growth for growth in found if growth is not None)


def _of_device(facts: Facts, device: DeviceMemory) -> Growth | None:
    if device.blocks is None or not _any_outlives_a_step(facts, device, device.blocks):
        return None
    window = _window(facts, device, device.blocks)
    kept, is_survivor = _kept(len(facts.steps), window)
    per_step = np.where(kept > 0, kept, _replaced(window))
    if per_step.sum() <= 2 * _given_back(facts, device, device.blocks):
        return None
    grows = is_survivor & (per_step[window.code] > 0)
    node = np.where(grows, _nodes(facts)[window.call], NONE)
    is_graph = len(distinct(node[node != NONE])) >= _SEVERAL * (len(facts.steps) - 2)
    # The batch is kept with the graph; what keeps both is found where autograd recorded.
    named = is_among(np.arange(window.places), window.code[node != NONE]) if is_graph else np.True_
    largest = int(np.where(named, per_step, 0).argmax())
    operator, module, source = facts.once(owners_of_calls).places[largest]
    calls = window.call[(window.code == largest) & (grows if kept[largest] else np.True_)]
    return Growth(
        device=device.curve.device,
        operator=operator,
        module=module,
        source=source,
        bytes_per_step=int(per_step[largest]),
        all_bytes_per_step=int(per_step.sum()),
        peak_bytes=int(device.curve.allocated_bytes.max()),
        is_graph=is_graph,
        may_replace_older=_may_replace_older(device, device.blocks),
        calls=facts.once(find_operators).rows[distinct(calls[calls != NONE])],
    )


def _window(facts: Facts, device: DeviceMemory, blocks: Blocks) -> _Window:
    owners = facts.once(owners_of_calls)
    none = len(owners.places) - 1
    at, step = _allocated_in_steps(facts, device, blocks)
    call = allocating_calls(facts, device)[blocks.allocated_at[at]]
    code = np.full(len(at), none, np.int64)
    code[call != NONE] = owners.code[call[call != NONE]]
    return _Window(blocks, at, step, code, call, _ends(facts, device), none + 1)


def _any_outlives_a_step(facts: Facts, device: DeviceMemory, blocks: Blocks) -> bool:
    """In most windows none does, and whose they are need not be found out."""
    at, _ = _allocated_in_steps(facts, device, blocks)
    ends = np.append(np.sort(_ends(facts, device)), NONE)
    next_end = ends[np.searchsorted(ends[:-1], blocks.allocated_at[at])]
    return bool((blocks.until[at] > next_end).any())


def _allocated_in_steps(facts: Facts, device: DeviceMemory, blocks: Blocks) -> tuple[Int64s, Int64s]:
    at = np.flatnonzero(blocks.allocated_at != NONE)
    step = facts.steps.index_of(device.curve.time_ns[blocks.allocated_at[at]])
    return at[step != NONE], step[step != NONE]


def _ends(facts: Facts, device: DeviceMemory) -> Int64s:
    """The last event of each step."""
    ends: Int64s = np.searchsorted(device.curve.time_ns, facts.steps.end_ns, side="left") - 1
    return ends


def _kept(steps: int, window: _Window) -> tuple[Int64s, npt.NDArray[np.bool_]]:
    """Bytes of a median step by place, 0 where some step keeps none; and which blocks are still there."""
    blocks = window.blocks
    inner = (window.step > 0) & (window.step < steps - 1)
    survives = inner & (blocks.until[window.at] > window.ends[-1])
    held = np.zeros((window.places, steps), np.int64)
    np.add.at(held, (window.code[survives], window.step[survives]), blocks.bytes[window.at[survives]])
    held = held[:, 1:-1]
    held[(held == 0).any(axis=1)] = 0
    return np.median(held, axis=1).astype(np.int64), survives


def _given_back(facts: Facts, device: DeviceMemory, blocks: Blocks) -> float:
    """Bytes of a median step that were there before the window."""
    old = np.flatnonzero((blocks.allocated_at == NONE) & (blocks.freed_at != NONE))
    step = facts.steps.index_of(device.curve.time_ns[blocks.freed_at[old]])
    found = np.zeros(len(facts.steps), np.int64)
    np.add.at(found, step[step != NONE], blocks.bytes[old[step != NONE]])
    return median(found[1:-1])


def _may_replace_older(device: DeviceMemory, blocks: Blocks) -> bool:
    return device.curve.device == "CPU" and not (blocks.allocated_at == NONE).any()


def _replaced(window: _Window) -> Int64s:
    """The increment of each place from end to end of a step, 0 where increments are not alike."""
    ends = window.ends[:-1][-_MOST_ENDS:]
    none = np.zeros(window.places, np.int64)
    if len(window.ends) < _ENOUGH_REPLACED:
        return none
    held = np.zeros((window.places, len(ends)), np.int64)
    for column, end in enumerate(ends.tolist()):
        alive = window.blocks.alive_after(end)[window.at]
        np.add.at(held[:, column], window.code[alive], window.blocks.bytes[window.at[alive]])
    grown = np.diff(held, axis=1)
    least, most = grown.min(axis=1), grown.max(axis=1)
    return np.where((least > 0) & (most <= _ALIKE * least), np.median(grown, axis=1), none).astype(np.int64)


def _nodes(facts: Facts) -> Int64s:
    """For each call of an operator the one around it that autograd recorded, or `NONE`; for no call, too.

    Calls that it does not record bear the number of the next one that it does, so that is the latest.
    """
    trace, operators = facts.trace, facts.once(find_operators)
    none = np.full(len(operators) + 1, NONE, np.int64)
    if trace.autograd is None or len(operators) == 0:
        return none
    is_backward, _ = forward_calls(trace, operators, with_engine=True)
    number = trace.autograd.autograd_number.at(operators.rows)
    forward = np.flatnonzero((number >= 0) & ~is_backward)
    lane, start = (column[operators.rows[forward]] for column in (trace.slices.lane, trace.slices.start_ns))
    forward = forward[np.lexsort((start, number[forward], lane))]
    ends = np.append(np.diff(number[forward]) != 0, True)[: len(forward)]
    recorded = np.zeros(len(operators), np.bool_)
    recorded[forward[ends]] = True
    none[:-1] = climbed(np.where(recorded, np.arange(len(recorded)), operators.parent), recorded)
    return none
