"""Where in the program a call was made: the innermost frame of the user's own."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from tbprof.analysis.calls import Calls
from tbprof.analysis.names import are_named
from tbprof.analysis.nesting import Nest
from tbprof.model import Source
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category, Trace

_FRAME = re.compile(r"(?P<file>.+?)\((?P<line>\d+)\): (?P<function>.+)", re.DOTALL)

_TORCH = re.compile(r"(?:.*(?:site-packages|dist-packages|pytorch)[/\\])?torch[/\\]", re.DOTALL)

_HOOK = re.compile(r"(?:.*[/\\])?tbprof[/\\]hook[/\\]", re.DOTALL)
"""The hook itself: no line of the program is there to be changed."""

_GENERATED = re.compile(
    r"(?:.*[/\\])?(?:torchinductor_|(?P<folder>[a-z2-7]{2})[/\\]c(?P=folder)[a-z2-7]{40,}\.py$)", re.DOTALL
)
"""What `torch.compile` writes, into a folder of that name or one of the user's choice."""

_TAKES_A_BATCH = re.compile(
    r"(?:.*[/\\])?(?:selectors|multiprocessing[/\\](?:connection|queues))\.py", re.DOTALL
)
"""Frames of Python's own library in which a consumer of worker processes waits for a batch."""

_NOTEBOOK = re.compile(r"<(?:ipython-input|stdin)|.*[/\\]ipykernel_", re.DOTALL)


@lru_cache(maxsize=65536)
def parse_frame(name: str, *, exact: bool) -> Source | None:
    """The user's frame that `name` spells, or None if it is nobody's or not the user's."""
    found = _FRAME.fullmatch(name)
    if found is None or name.startswith("nn.Module: "):
        return None
    file = found["file"]
    if _TORCH.match(file) or _HOOK.match(file) or _GENERATED.match(file) or _TAKES_A_BATCH.fullmatch(file):
        return None
    if file.startswith("<") and not _NOTEBOOK.match(file):
        return None
    return Source(file, int(found["line"]), found["function"], exact, ())


def user_frames(trace: Trace) -> Int64s:
    """Rows of the frames that are the user's."""
    frames = np.flatnonzero(trace.slices.category == Category.PYTHON)
    is_users = are_named(trace, frames, lambda name: parse_frame(name, exact=False) is not None)
    rows: Int64s = frames[is_users]
    return rows


def find_sources(
    trace: Trace, calls: Calls, chosen: Int64s, frames: Nest
) -> tuple[Int64s, tuple[Source, ...]]:
    """For each chosen call an index into the sources found, or `NONE`; `frames` are the user's."""
    if len(trace.call_stack.rows):
        return _from_call_stacks(trace, calls, chosen)
    return _from_frames(trace, calls, chosen, frames)


def _from_frames(
    trace: Trace, calls: Calls, chosen: Int64s, frames: Nest
) -> tuple[Int64s, tuple[Source, ...]]:
    slices = trace.slices
    used = distinct(slices.name[frames.rows]).tolist()
    sources = {i: source for i in used if (source := parse_frame(trace.names[i], exact=False))}
    code = np.full(len(trace.names), NONE, np.int64)
    code[list(sources)] = np.arange(len(sources))
    at = frames.innermost(calls.lane[chosen], calls.start_ns[chosen], calls.end_ns[chosen])
    found = np.full(len(chosen), NONE, np.int64)
    inside = at != NONE
    found[inside] = code[slices.name[frames.rows[at[inside]]]]
    return found, tuple(sources.values())


def _from_call_stacks(trace: Trace, calls: Calls, chosen: Int64s) -> tuple[Int64s, tuple[Source, ...]]:
    sources: dict[Source, int] = {}
    found = np.full(len(chosen), NONE, np.int64)
    position, end = calls.op[chosen], calls.end_ns[chosen]
    while (inside := np.flatnonzero((position != NONE) & (found == NONE))).size:
        stacks = trace.call_stack.at(calls.ops.rows[position[inside]])
        for call, stack in zip(inside.tolist(), stacks.tolist(), strict=True):
            if stack >= 0 and (source := _first_of_stack(trace.names[stack])) is not None:
                found[call] = sources.setdefault(source, len(sources))
        position = calls.ops.enclosing(position, end)
    return found, tuple(sources)


@lru_cache(maxsize=65536)
def _first_of_stack(stack: str) -> Source | None:
    return next(iter(frames_of_stack(stack)), None)


def frames_of_stack(stack: str) -> list[Source]:
    """The user's frames of the stack that an operator was given (2021), innermost first."""
    frames = (parse_frame(entry, exact=True) for entry in stack.split(";"))
    return [frame for frame in frames if frame is not None]
