"""One event of a file, rewritten in the classic dialect.

Kernels that use tensor or matrix cores and whose name torch-tb-profiler does not know.

A name that bears a mark of a later generation gets one of the pieces appended that it looks for.

Times that stay nested when they are added up as doubles.

The plugin adds start and duration as doubles of microseconds and drops a row that then
ends a billionth after the one around it. So times with decimals are put on a grid of
1/8192 us, on which sums of doubles are exact up to 2^40 us, 12 days from the copy's first
event. The grid is finer than 1 ns: different instants stay different, and in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s
from tbprof.trace.columns.columns import Category, Slices, Trace
from tbprof.trace.columns.eras import STEP_PREFIX
from tbprof.trace.columns.tensor_cores import KNOWN_TO_CLASSIC, LATER
from tbprof.trace.export.classic_collectives import COUNTED, GLOO_COUNTED, classic_name, message
from tbprof.trace.export.classic_plan import NOT_RECORDED, AddedOp, RewritePlan
from tbprof.trace.export.classic_roles import Threads, is_module, is_step

RawEvent = dict[str, Any]

_CATEGORIES = {
    Category.CPU_OP: "Operator",
    Category.USER_ANNOTATION: "Operator",
    Category.RUNTIME: "Runtime",
    Category.KERNEL: "Kernel",
    Category.MEMCPY: "Memcpy",
    Category.MEMSET: "Memset",
    # Under its own name the plugin would take it for a range of the host.
    Category.GPU_ANNOTATION: "gpu_annotation",
    Category.PYTHON: "python_function",
}
_ON_DEVICE = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)
_NUMBERS = ("blocks per SM", "est. achieved occupancy %")
_LAST_DEVICE = 63
"""The plugin has room for 64."""


class ClassicRows:
    """Rewrites the rows of one trace, in file order, and gives those that are added."""

    def __init__(self, trace: Trace, plan: RewritePlan, clock: ClassicClock) -> None:
        self.threads = Threads(trace)
        self._trace = trace
        self._plan = plan
        self._clock = clock
        self._stacks = CallStacks(plan.nesting.frame, trace.slices.name, trace.names)
        devices = trace.device.at(np.arange(len(trace.slices)))
        self._device = np.clip(devices, 0, _LAST_DEVICE)
        self._has_nccl = any(op.collective != NONE for op in plan.added)
        self._messages: dict[int, tuple[str, dict[str, object]]] = {}
        self._collectives = {op.collective for op in plan.added if op.collective != NONE}

    def rewrite(self, first_row: int, events: list[RawEvent]) -> Iterator[RawEvent]:
        """The same rows in the other dialect, without those that are left out."""
        rows = slice(first_row, first_row + len(events))
        start_us = self._clock.us(self._trace.slices.start_ns[rows])
        end_us = self._clock.us(self._plan.nesting.end_ns[rows])
        category = self._trace.slices.category[rows].tolist()
        for offset, event in enumerate(events):
            row = first_row + offset
            if self._plan.omitted[row]:
                continue
            args = event["args"] if isinstance(event.get("args"), dict) else {}
            kind = Category(category[offset])
            event |= {"ts": start_us[offset], "dur": end_us[offset] - start_us[offset], "args": args}
            event["cat"] = _CATEGORIES.get(kind) or str(event.get("cat") or "other")
            self._rewrite_row(row, kind, event, args)
            yield event

    def _rewrite_row(self, row: int, kind: Category, event: RawEvent, args: dict[str, Any]) -> None:
        if kind in _ON_DEVICE:
            self._rewrite_device_row(row, event, args)
            return
        event["tid"] = self.threads.number(event)
        if kind in (Category.CPU_OP, Category.USER_ANNOTATION):
            self._rewrite_operator(row, event, args)
        elif kind == Category.RUNTIME:
            self._join(row, args)
        elif kind == Category.PYTHON and not is_module(event["name"]):
            args.pop("Python module id", None)

    def _rewrite_operator(self, row: int, event: RawEvent, args: dict[str, Any]) -> None:
        args.pop("external id", None)
        args["External id"] = row + 1
        name = event["name"]
        if name.startswith(STEP_PREFIX) and not is_step(name):
            event["name"] = name.replace("#", " ")
        elif self._has_nccl and name in GLOO_COUNTED:
            # With two libraries in one file the plugin shows no distributed view at all.
            event["name"] = name.replace(":", " ")
        elif name in GLOO_COUNTED | COUNTED and not _is_message(args):
            args.pop("Input Dims", None)
            args.pop("Input dims", None)
        stack = "" if "Call stack" in args else self._stacks.of(int(self._plan.nesting.frame[row]))
        if stack:
            args["Call stack"] = stack

    def _rewrite_device_row(self, row: int, event: RawEvent, args: dict[str, Any]) -> None:
        event["pid"] = args["device"] = int(self._device[row])
        self._join(row, args)
        for key in _NUMBERS:
            if key in args and not isinstance(args[key], (int, float)):
                del args[key]
        if row in self._collectives:
            self._messages[row] = (str(args.get("Collective name") or ""), message(args))
        event["name"] = classic_kernel_name(event["name"])

    def _join(self, row: int, args: dict[str, Any]) -> None:
        args.pop("external id", None)
        args["External id"] = int(self._plan.external_id[row])
        args.pop("correlation", None)
        correlation = int(self._plan.correlation[row])
        if correlation != NONE:
            args["correlation"] = correlation

    def added(self) -> Iterator[RawEvent]:
        """The operators that are in the copy only; ask when all rows are rewritten."""
        for op in self._plan.added:
            event = self._added(op)
            yield event
            if op.correlation != NONE:
                args = {"External id": op.external_id, "correlation": op.correlation}
                yield {**event, "cat": "Runtime", "name": NOT_RECORDED, "args": args}

    def _added(self, op: AddedOp) -> RawEvent:
        collective, said = self._messages.get(op.collective, ("", {}))
        name = classic_name(collective, op.name) if collective else op.name
        args = {"External id": op.external_id, **said}
        place = self.threads.place(op.lane)
        start_us, end_us = self._clock.instants_us(op.start_ns, op.end_ns)
        return {
            "ph": "X", "cat": "Operator", "name": name, **place,
            "ts": start_us, "dur": end_us - start_us, "args": args,
        }  # fmt: skip


def _is_message(args: Mapping[str, Any]) -> bool:
    """Whether the plugin can count the bytes of a collective from its shapes and types."""
    shapes, types = args.get("Input Dims"), args.get("Input type")
    if not isinstance(shapes, list) or not isinstance(types, list) or len(shapes) != len(types):
        return False
    return all(isinstance(shape, list) and all(isinstance(n, int) for n in shape) for shape in shapes)


_SOURCE_FRAME = re.compile(r"(?!<built-in ).+\(\d+\): .")
_KEPT_FRAMES = 64
"""The innermost ones: each operator repeats its stack."""
_KEPT_STACKS = 4096
"""Neighbors in a file share their frames, so few stacks have to be remembered."""


def is_source_frame(name: str) -> bool:
    """Whether a frame names a line of Python, as in `train.py(12): step`."""
    return _SOURCE_FRAME.match(name) is not None


class CallStacks:
    """Gives the call stack of a frame: `file(line): function`, innermost first, joined by `;`."""

    def __init__(self, frame: Int64s, name: Int32s, names: Sequence[str]) -> None:
        """`frame` is that of the nesting, `name` the column of names, `names` their table."""
        self._frame = frame
        self._name = name
        self._names = names
        self.of = lru_cache(_KEPT_STACKS)(self._of)

    def _of(self, frame: int) -> str:
        found: list[str] = []
        while frame != NONE and len(found) < _KEPT_FRAMES:
            name = self._names[self._name[frame]]
            if is_source_frame(name):
                found.append(name)
            frame = int(self._frame[frame])
        return ";".join(found)


_MARK = " [hmma]"


def classic_kernel_name(name: str) -> str:
    """The name under which the plugin counts the kernel correctly."""
    if LATER.search(name) is None or KNOWN_TO_CLASSIC.search(name) is not None:
        return name
    return name + _MARK


_GRID_PER_US = 8192


@dataclass(frozen=True, slots=True)
class ClassicClock:
    """Turns ns of a file's own axis into us of its classic copy, which begins at 0."""

    zero_ns: int
    """A whole number of us."""
    is_whole: bool
    """Whether all times of the file are whole us; they stay so."""

    @classmethod
    def unchanged(cls) -> ClassicClock:
        """The clock of a file whose times stay as they are."""
        return cls(0, is_whole=True)

    @classmethod
    def of(cls, slices: Slices) -> ClassicClock:
        whole = not ((slices.start_ns % 1000).any() or (slices.duration_ns % 1000).any())
        first_ns = int(slices.start_ns.min())
        # One us of room for what was launched before everything else.
        return cls((first_ns // 1000 - 1) * 1000, whole)

    def us(self, instants_ns: Int64s) -> list[float]:
        """The instants in us."""
        since_ns = instants_ns - self.zero_ns
        if self.is_whole:
            return (since_ns // 1000).tolist()  # type: ignore[no-any-return]
        ticks = (since_ns * 1024 + 62) // 125
        return (ticks / np.float64(_GRID_PER_US)).tolist()  # type: ignore[no-any-return]

    def event_us(self, us: float) -> float:
        """An instant of an event that is no row, given in us of the file's axis."""
        whole = int(us // 1)
        ns = whole * 1000 + round((us - whole) * 1000) - self.zero_ns
        return ns // 1000 if self.is_whole else (ns * 1024 + 62) // 125 / _GRID_PER_US

    def instants_us(self, *instants_ns: int) -> list[float]:
        """The same for a few."""
        return self.us(np.array(instants_ns, np.int64))
