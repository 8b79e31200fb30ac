"""Exact lines: the episodes of a trace joined with the calls that the hook recorded.

No trace holds the line of a call. The hook records lines in a step of its own, and a
training's steps are alike: of the calls that can become the same op, in the same function
where frames are recorded, the n-th of a step is the n-th that was recorded. Where a step has
more or fewer of them than were recorded, the lines are candidates; a single line is exact
even then if it was recorded more than once, for a loop may run longer in another step. A call that
can become several ops, as `x[...]` can, is sought among those that no other op accounts for.

Where torch's functions were not watched, as in compiled code, the hook heard of each wait from
CUDA itself and knows no op: there, the n-th wait of a step is the n-th that was heard. So it is on
autograd's threads; of torch's own functions there it was heard on the line that began the backward pass.

Which ops a function of torch's Python side becomes in a trace (data).

A function that is not here becomes the op of its name: `torch.nonzero` is `aten::nonzero`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence, Set

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.op_chains import OpChains
from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.steps import Steps
from tbprof.model import WAITED, Audit, RecordedCall, Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among


@dataclass(frozen=True, slots=True, eq=False)
class _Kin:
    """Episodes that the same recorded calls can have caused, ascending by time."""

    episodes: Int64s
    calls: tuple[int, ...]
    """The recorded calls, as indexes into `Audit.calls`, in the order of the audit step."""
    frame: Source | None
    is_wait: bool = False
    """Whether each episode is one call, whatever ops are around it."""


def with_recorded_lines(
    audit: Audit | None,
    episodes: Episodes,
    chains: OpChains,
    steps: Steps,
    call_names: Sequence[str],
    source: Int64s,
    sources: tuple[Source, ...],
) -> tuple[Int64s, tuple[Source, ...]]:
    """The sources of the episodes, with lines where the audit step tells them.

    Args:
        audit: What the hook recorded; None leaves the sources as they are.
        episodes: All episodes of the window.
        chains: The ops around each episode.
        steps: The window's steps.
        call_names: The first call of each episode.
        source: For each episode an index into `sources`, or `NONE`.
        sources: The frames that the trace itself knows.

    Returns:
        The two, again.
    """
    if audit is None or not audit.calls:
        return source, sources
    found = {known: index for index, known in enumerate(sources)}
    refined = source.copy()
    kinds = (
        *_kin(audit, episodes, chains, steps, call_names, source, sources),
        *_waits(audit, episodes, chains, steps, call_names, source, sources),
    )
    taken = {call for kin in kinds if _is_whole(kin, episodes, chains, steps) for call in kin.calls}
    for kin in kinds:
        for members, calls in _joined(kin, taken, episodes, chains, steps):
            line = _source([audit.calls[call] for call in calls], kin.frame)
            if line is not None:
                refined[members] = found.setdefault(line, len(found))
    return refined, tuple(found)


def _kin(
    audit: Audit,
    episodes: Episodes,
    chains: OpChains,
    steps: Steps,
    call_names: Sequence[str],
    source: Int64s,
    sources: tuple[Source, ...],
) -> Iterator[_Kin]:
    anchors = [_anchor(chain) for chain in chains.names]
    names = sorted(set(anchors))
    anchor = np.array([names.index(name) for name in anchors], np.int64)[chains.chain]
    takes_steps = is_among(episodes.lane, steps.lanes).astype(np.int64)
    # Of other directions nobody knows beforehand where on the host they go.
    memory = np.where(episodes.direction == DIRECTIONS.index("HtoD"), episodes.memory, 0)
    # Within an op the call is torch's choice; outside it is the program's.
    asked = sorted({name for names in BY_NAME.values() for name in names})
    explicit = np.array([asked.index(name) if name in asked else NONE for name in call_names], np.int64)
    explicit[chains.outermost != NONE] = NONE
    key = np.stack([anchor, episodes.direction, memory, takes_steps, source, explicit], axis=1)
    distinct, which = distinct_lines(key)
    for index, (op, direction, memory, is_training, at, by_name) in enumerate(distinct.tolist()):
        frame = None if at == NONE else sources[at]
        if frame is not None and frame.exact:
            continue
        fitting = [
            calls_fit(
                call,
                names[op],
                DIRECTIONS[direction],
                MEMORIES[memory],
                "" if by_name == NONE else asked[by_name],
            )
            and (call.thread == 0) == bool(is_training)
            and (frame is None or _is_in(call, frame))
            for call in audit.calls
        ]
        calls = tuple(call for call in audit.order if fitting[call])
        if calls:
            yield _Kin(np.flatnonzero(which == index), calls, frame)


def _waits(
    audit: Audit,
    episodes: Episodes,
    chains: OpChains,
    steps: Steps,
    call_names: Sequence[str],
    source: Int64s,
    sources: tuple[Source, ...],
) -> Iterator[_Kin]:
    """The waits that CUDA reports: calls that block and were not asked for by name."""
    asked = {name for names in BY_NAME.values() for name in names}
    by_name = np.array([name in asked for name in call_names], bool) & (chains.outermost == NONE)
    heard = episodes.blocking & ~by_name
    for members, calls in _waits_of_threads(audit, chains, is_among(episodes.lane, steps.lanes)):
        for at in distinct(source[heard & members]).tolist() if calls else ():
            frame = None if at == NONE else sources[at]
            if frame is not None and frame.exact:
                continue
            within = tuple(call for call in calls if frame is None or _is_in(audit.calls[call], frame))
            if within:
                yield _Kin(np.flatnonzero(heard & members & (source == at)), within, frame, is_wait=True)


def _waits_of_threads(
    audit: Audit, chains: OpChains, takes_steps: npt.NDArray[np.bool_]
) -> Iterator[tuple[npt.NDArray[np.bool_], tuple[int, ...]]]:
    """Episodes of the training's thread, of others and of autograd's; with each, the calls heard there."""

    def calls(chosen: Callable[[RecordedCall], bool]) -> tuple[int, ...]:
        return tuple(call for call in audit.order if chosen(audit.calls[call]))

    yield takes_steps, calls(lambda call: call.call == WAITED and call.thread == 0)
    yield ~takes_steps, calls(lambda call: call.call == WAITED and call.thread != 0)
    in_backward = calls(lambda call: call.call == UNNAMED and call.thread != 0)
    yield ~takes_steps & _is_in_node(chains, _PYTHON_NODE), in_backward
    yield ~takes_steps & _is_in_node(chains, _TORCH_NODE), calls(lambda call: call.call in _STARTS_AUTOGRAD)


_NODE = "autograd::engine::evaluate_function: "
_PYTHON_NODE = re.compile(rf"{_NODE}\w*[A-Za-z_]Backward")
"""A function of the program's own; its `backward` runs on autograd's thread, unwatched."""
_TORCH_NODE = re.compile(rf"{_NODE}(?:\w+Backward\d+|torch::autograd::\w+)")
"""A function of torch's, which repeats its warnings where the backward pass was started."""
_STARTS_AUTOGRAD = ("backward", "grad")


def _is_in_node(chains: OpChains, node: re.Pattern[str]) -> npt.NDArray[np.bool_]:
    """For each episode whether autograd ran such a function around it."""
    inside = [bool(chain) and node.fullmatch(chain[-1]) is not None for chain in chains.names]
    found: npt.NDArray[np.bool_] = np.array(inside, np.bool_)[chains.chain]
    return found


def _anchor(chain: tuple[str, ...]) -> str:
    """The op that a function of torch's became: the outermost one, functions of the user's left out."""
    return next((op for op in reversed(chain) if "::" in op and not op.startswith("autograd::")), "")


def _is_in(call: RecordedCall, frame: Source) -> bool:
    # One of the two may have seen more of the import path, and cut more off.
    same_file = call.file == frame.file
    alike = same_file or _ends_with(call.file, frame.file) or _ends_with(frame.file, call.file)
    return alike and call.function == frame.function


def _ends_with(path: str, file: str) -> bool:
    return path.endswith(("/" + file, "\\" + file))


def _is_whole(kin: _Kin, episodes: Episodes, chains: OpChains, steps: Steps) -> bool:
    """Whether each step has as many of them as were recorded."""
    each = _by_step(kin, episodes, chains)
    return steps.recorded and all(len(kin.calls) == instance[-1] + 1 for _, _, instance in each)


def _joined(
    kin: _Kin, taken: Set[int], episodes: Episodes, chains: OpChains, steps: Steps
) -> Iterator[tuple[Int64s, Sequence[int]]]:
    """Episodes, and the one recorded call that they came from, or all that they can come from.

    Args:
        kin: The episodes and the calls.
        taken: Calls that became other ops, and so hardly these as well.
        episodes: All episodes of the window.
        chains: The ops around each episode.
        steps: The window's steps.
    """
    rest = tuple(call for call in kin.calls if call not in taken)
    for index, members, instance in _by_step(kin, episodes, chains):
        fitting = (calls for calls in (kin.calls, rest) if len(calls) == int(instance[-1]) + 1)
        whole = next(fitting, ()) if index != NONE and steps.recorded else ()
        if not whole:
            yield members, kin.calls
        for number, call in enumerate(whole):
            # Twice the same: it is certain.
            yield members[instance == number], (call, call)


def _by_step(kin: _Kin, episodes: Episodes, chains: OpChains) -> Iterator[tuple[int, Int64s, Int64s]]:
    """The step or `NONE`, the episodes in it by time, and which call of the step each belongs to."""
    order = kin.episodes[np.argsort(episodes.start_ns[kin.episodes], kind="stable")]
    step = episodes.step[order]
    for index in distinct(step).tolist():
        members = order[step == index]
        instance = np.arange(len(members)) if kin.is_wait else _instances(chains.outermost[members])
        yield index, members, instance


def _instances(outermost: Int64s) -> Int64s:
    """Number the calls: episodes under one outermost op come from one, those under none from one each."""
    is_new = np.ones(len(outermost), np.bool_)
    is_new[1:] = (outermost[1:] != outermost[:-1]) | (outermost[1:] == NONE)
    return np.cumsum(is_new) - 1


def _source(calls: Sequence[RecordedCall], frame: Source | None) -> Source | None:
    """The one line of several calls, or the lines that it can be; None where they are in several files."""
    first = calls[0]
    file = first.file if frame is None else frame.file
    lines = sorted({(call.file, call.line) for call in calls})
    if len(lines) == 1 and len(calls) > 1:
        return Source(file, first.line, first.function, exact=True, candidates=())
    candidates = tuple(line for _, line in lines)
    if frame is not None:
        return dataclasses.replace(frame, candidates=candidates)
    if len({name for name, _ in lines}) > 1:
        return None
    function = first.function if len({call.function for call in calls}) == 1 else ""
    return Source(file, None, function, exact=False, candidates=candidates)


UNNAMED = "synchronize"
"""A wait that CUDA itself reported, in no function of torch's."""

BY_NAME = {
    "cuda.synchronize": ("cudaDeviceSynchronize", "hipDeviceSynchronize"),
    "Stream.synchronize": ("cudaStreamSynchronize", "hipStreamSynchronize"),
    "Event.synchronize": ("cudaEventSynchronize", "hipEventSynchronize"),
}
"""Waits that a program asks for by name, and the calls that they become, outside every op."""

_SCALAR = ("aten::item",)
_TRUTH = ("aten::is_nonzero",)
_MOVE = ("aten::to",)
_INDEX = ("aten::to", "aten::item", "aten::nonzero")

_OPS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("item", "__int__", "__float__", "__complex__", "__index__", "__format__", "__contains__"), _SCALAR
    ),
    **dict.fromkeys(("__bool__", "is_nonzero"), _TRUTH),
    **dict.fromkeys(("to", "cpu", "cuda", "xpu", "tolist", "numpy", "__array__", "tensor"), _MOVE),
    **dict.fromkeys(("as_tensor", "asarray"), (*_MOVE, "aten::copy_")),
    "pin_memory": ("aten::pin_memory", "aten::_pin_memory"),
    "nonzero": ("aten::nonzero", "aten::nonzero_numpy"),
    "where": ("aten::where", "aten::nonzero_numpy"),
    "unique": ("aten::_unique", "aten::_unique2", "aten::unique_dim"),
    "unique_consecutive": ("aten::unique_consecutive", "aten::unique_dim_consecutive"),
    "__getitem__": (*_INDEX, "aten::index"),
    "__setitem__": (*_INDEX, "aten::index_put_", "aten::copy_", "aten::masked_fill_"),
    "__repr__": (*_SCALAR, *_TRUTH, *_MOVE, "aten::masked_select", "aten::nonzero"),
}

_MOVING = frozenset(
    ("to", "cpu", "cuda", "xpu", "copy_", "tolist", "numpy", "tensor", "as_tensor", "asarray")
)
"""Functions that move in the direction of their devices, and wait for nothing else."""


def calls_fit(call: RecordedCall, op: str, direction: str, memory: str, runtime_call: str) -> bool:
    """Whether a recorded call can be what a copy or synchronize within `op` came from.

    Args:
        call: The recorded call.
        op: The outermost op of torch's around the episode, "" where there is none.
        direction: The episode's, as in `copy_kinds.DIRECTIONS`.
        memory: The episode's, as in `copy_kinds.MEMORIES`.
        runtime_call: The episode's first call of the device's runtime.
    """
    if all(device == "cpu" for device in call.devices):
        return False
    if call.call in BY_NAME:
        return not op and runtime_call in BY_NAME[call.call]
    if call.call == UNNAMED:
        return bool(op) and not op.startswith("aten::")
    return op in _OPS.get(call.call, (f"aten::{call.call}",)) and _moves(call, direction, memory)


_HEARD = ("cuda",)
"""The devices of a call of which CUDA said that it waited, and not for what."""


def _moves(call: RecordedCall, direction: str, memory: str) -> bool:
    if call.devices == _HEARD:
        return True
    uploads = len(call.devices) > 1 and call.devices[0] == "cpu"
    if direction == "HtoD":
        # An upload from pinned memory is not one from pageable memory.
        known = call.pinned is not None and bool(memory)
        return uploads and (not known or call.pinned == (memory == "pinned"))
    return not (uploads and call.call in _MOVING)
