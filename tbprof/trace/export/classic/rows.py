"""One event of a file, rewritten in the classic dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import STEP_PREFIX
from tbprof.trace.export.classic.collectives import COUNTED, GLOO_COUNTED, classic_name, message
from tbprof.trace.export.classic.rewrite_plan import NOT_RECORDED, AddedOp, RewritePlan
from tbprof.trace.export.classic.roles import is_module, is_step
from tbprof.trace.export.classic.stacks import CallStacks
from tbprof.trace.export.classic.tensor_cores import classic_kernel_name
from tbprof.trace.export.classic.threads import Threads
from tbprof.trace.export.classic.times import ClassicClock

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
