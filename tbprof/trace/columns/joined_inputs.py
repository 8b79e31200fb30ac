"""What operators are given, taken from steps beside a window in which it was recorded.

A call of the window is the call of those steps with the same name, in the same module, on the thread that
takes the steps or beside it, and with the same place among those of its step. Only where all steps have as
many such calls is that the same call, and only what the recorded steps agree in is kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, SparseColumn, listed
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import MODULE_PREFIX, STEP_PREFIX

INPUTS_KEY = "inputs"
"""Where they stand in the facts of the hook."""


@dataclass(frozen=True, slots=True)
class CallInputs:
    """The calls of one operator in one module, in the order of a step."""

    name: str
    module: str
    """Name of the innermost range of a module around them; "" without one."""
    on_step_thread: bool
    inputs: tuple[int, ...]
    """An index into `JoinedInputs.sets` for each; `NONE` where steps differ, or nothing was recorded."""


@dataclass(frozen=True, slots=True)
class JoinedInputs:
    steps: int
    """The number of steps that were recorded and agree."""
    texts: tuple[str, ...]
    sets: tuple[tuple[int, int, int], ...]
    """Shapes, types and values as the columns of a trace have them: indexes into `texts`, or `NONE`."""
    calls: tuple[CallInputs, ...]

    def is_sound(self) -> bool:
        """Whether all of it can be used: a file may say anything."""
        try:
            for text in self.texts:
                listed(text)
        except (ValueError, RecursionError):
            return False
        texts, sets = range(NONE, len(self.texts)), range(NONE, len(self.sets))
        return all(one in texts for each in self.sets for one in each) and all(
            one in sets for call in self.calls for one in call.inputs
        )


_Key = tuple[str, str, bool]


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """The calls within steps, ascending by (key, step, start)."""

    rows: Int64s
    keys: tuple[_Key, ...]
    key: Int64s
    """An index into `keys` for each row."""
    step: Int64s
    place: Int64s
    """The place of each among the calls of its key and step."""
    count: Int64s
    """Calls of its key and step; 0 where they came from several threads, and so have no order."""
    steps: int


def joined_inputs(trace: Trace) -> JoinedInputs:
    """The inputs of a trace whose steps were recorded with shapes."""
    calls = _calls(trace)
    columns = (trace.input_shapes, trace.input_types, trace.concrete_inputs)
    texts = np.stack([column.at(calls.rows) for column in columns], axis=1)
    sets, at = np.unique(texts, axis=0, return_inverse=True)
    used, number = np.unique(sets, return_inverse=True)
    number = np.where(sets == NONE, NONE, number.reshape(sets.shape) - int(NONE in used))
    at = np.where(texts[:, 0] == NONE, NONE, at.reshape(len(texts)))
    return JoinedInputs(
        steps=calls.steps,
        texts=tuple(trace.names[text] for text in used.tolist() if text != NONE),
        sets=tuple((shapes, types, values) for shapes, types, values in number.tolist()),
        calls=tuple(_agreed(calls, at)),
    )


def with_joined_inputs(trace: Trace, given: JoinedInputs) -> Trace:
    """The trace with the inputs of its calls, as far as they are known, and known to be sound."""
    calls = _calls(trace)
    by_key = {(call.name, call.module, call.on_step_thread): call.inputs for call in given.calls}
    found = [by_key.get(key, ()) for key in calls.keys]
    lengths = np.array([len(inputs) for inputs in found], np.int64)
    flat = np.array([*(one for inputs in found for one in inputs), NONE], np.int64)
    first = np.cumsum(lengths) - lengths
    same = (calls.count == lengths[calls.key]) & (calls.count > 0)
    chosen = flat[np.where(same, first[calls.key] + calls.place, len(flat) - 1)]
    is_known = chosen != NONE
    order = np.argsort(calls.rows[is_known], kind="stable")
    rows = calls.rows[is_known][order].astype(np.int32)
    sets = np.array(given.sets, np.int64).reshape(-1, 3)[chosen[is_known][order]]
    if not len(rows):
        return trace
    shapes, types, values = (_column(rows, sets[:, one], len(trace.names)) for one in range(3))
    numbers = {"steps": given.steps, "calls": len(rows), "of": len(calls.rows)}
    return dataclasses.replace(
        trace,
        names=(*trace.names, *given.texts),
        input_shapes=shapes,
        input_types=types,
        concrete_inputs=values,
        health=(*trace.health, HealthFact("inputs_joined", "info", numbers)),
    )


def _column(rows: npt.NDArray[np.int32], text: Int64s, first_text: int) -> SparseColumn:
    is_there = text != NONE
    return SparseColumn(rows[is_there], (text[is_there] + first_text).astype(np.int32), NONE)


def _agreed(calls: _Calls, at: Int64s) -> Iterator[CallInputs]:
    bounds = np.flatnonzero(np.diff(calls.key, prepend=NONE, append=NONE))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        count = int(calls.count[begin])
        is_same = count > 0 and end - begin == count * calls.steps
        if not is_same or (calls.count[begin:end] != count).any():
            continue
        steps = at[begin:end].reshape(calls.steps, count)
        agreed = np.where((steps == steps[0]).all(axis=0), steps[0], NONE)
        if (agreed != NONE).any():
            name, module, on_step_thread = calls.keys[calls.key[begin]]
            yield CallInputs(name, module, on_step_thread, tuple(agreed.tolist()))


def _calls(trace: Trace) -> _Calls:
    slices = trace.slices
    steps, lane = _steps(trace)
    ops = np.flatnonzero(slices.category == Category.CPU_OP)
    step = np.searchsorted(slices.start_ns[steps], slices.start_ns[ops], side="right") - 1
    inside = step >= 0
    inside[inside] = slices.start_ns[ops[inside]] < slices.end_of(steps[step[inside]])
    ops, step = ops[inside], step[inside]
    on_thread = slices.lane[ops] == lane
    module = np.where(on_thread, _modules(trace, lane, slices.start_ns[ops]), NONE)
    codes = (slices.name[ops].astype(np.int64) * (len(trace.names) + 1) + module + 1) * 2 + on_thread
    distinct, key = np.unique(codes, return_inverse=True)
    order = np.lexsort((slices.start_ns[ops], step, key))
    ops, step, key = ops[order], step[order], key[order]
    group = np.cumsum((np.diff(key, prepend=NONE) != 0) | (np.diff(step, prepend=NONE) != 0)) - 1
    first = np.flatnonzero(np.diff(group, prepend=NONE))
    count = np.bincount(group, minlength=len(first))
    if len(first):
        lanes = slices.lane[ops]
        is_one = np.minimum.reduceat(lanes, first) == np.maximum.reduceat(lanes, first)
        count = np.where(is_one, count, 0)
    return _Calls(
        rows=ops,
        keys=tuple(_key(trace, code) for code in distinct.tolist()),
        key=key,
        step=step,
        place=np.arange(len(ops)) - first[group],
        count=count[group],
        steps=len(steps),
    )


def _key(trace: Trace, code: int) -> _Key:
    name, module = divmod(code // 2, len(trace.names) + 1)
    return trace.names[name], trace.names[module - 1] if module else "", bool(code % 2)


def _steps(trace: Trace) -> tuple[Int64s, int]:
    """The rows of the steps, ascending by start, and their lane: that of most of them."""
    rows = _ranges(trace, STEP_PREFIX)
    lanes = trace.slices.lane[rows]
    lane = int(np.bincount(lanes).argmax()) if len(rows) else NONE
    rows = rows[lanes == lane]
    return rows[np.argsort(trace.slices.start_ns[rows], kind="stable")], lane


def _modules(trace: Trace, lane: int, instants_ns: Int64s) -> Int64s:
    """At each instant the name of the innermost module that is called on this lane, or `NONE`."""
    slices, rows = trace.slices, _ranges(trace, MODULE_PREFIX)
    rows = rows[slices.lane[rows] == lane]
    rows = rows[np.lexsort((-slices.duration_ns[rows], slices.start_ns[rows]))]
    times, names, open_ = [np.iinfo(np.int64).min], [NONE], list[tuple[int, int]]()
    ranges = zip(
        slices.start_ns[rows].tolist(), slices.end_of(rows).tolist(), slices.name[rows].tolist(), strict=True
    )
    for start, end, name in ranges:
        _close(open_, start, times, names)
        open_.append((end, name))
        times.append(start)
        names.append(name)
    _close(open_, np.iinfo(np.int64).max, times, names)
    return np.array(names, np.int64)[np.searchsorted(times, instants_ns, side="right") - 1]


def _close(open_: list[tuple[int, int]], until_ns: int, times: list[int], names: list[int]) -> None:
    while open_ and open_[-1][0] <= until_ns:
        times.append(open_.pop()[0])
        names.append(open_[-1][1] if open_ else NONE)


def _ranges(trace: Trace, prefix: str) -> Int64s:
    is_one = np.array([name.startswith(prefix) for name in trace.names], bool)
    found: Int64s = np.flatnonzero(
        (trace.slices.category == Category.USER_ANNOTATION) & is_one[trace.slices.name]
    )
    return found
