"""What a profiler would have written of a run: a Kineto trace, through the trace builder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from program import (
    AUTOGRAD,
    NO_SITE,
    Allocate,
    Copy,
    Launch,
    Program,
    RecordEvent,
    StreamWait,
    Synchronize,
    Work,
)
from simulated_gpu import Task
from simulated_run import Done, Run
from trace_builder import TraceBuilder

_UNKNOWN_LAUNCH = 5_000_000
"""Correlations of calls that the window does not hold begin here."""


def site_function(site: int) -> str:
    """The user's function that holds a site."""
    return f"site_{site}"


def site_label(site: int) -> str:
    """The label around a site."""
    return f"site:s{site}"


def record(program: Program, run: Run) -> TraceBuilder:
    """Everything that began in the window; work launched before it has no launch."""
    built = TraceBuilder()
    origin = run.start_ns
    for number, (start, end) in enumerate(run.steps[program.steps_before :]):
        built.step(number, _us(start - origin), _us(end - origin))
    unknown = itertools.count(_UNKNOWN_LAUNCH)
    writer = _Writer(built, program, origin)
    for done in (*run.training, *run.side):
        if done.start_ns >= origin:
            writer.write(done)
        else:
            for task in _recorded(done):
                if task.start_ns >= origin:
                    place = {"stream": done.action.stream, "device": done.action.device}
                    if isinstance(done.action, Launch):
                        place["name"] = done.action.name
                    built.kernel(*writer.runs(task), correlation=next(unknown), **place)
    for code, thread, start, end in _ranges(run):
        _tell(built, code, (_us(start - origin), _us(end - origin)), thread)
    for start, end in _backward(run):
        name = "autograd::engine::evaluate_function: MmBackward0"
        built.op(name, _us(start - origin), _us(end - origin), thread=AUTOGRAD)
    if any(done.tasks for done in run.training):
        built.synchronize("cudaDeviceSynchronize", *(_us(at - origin) for at in run.own_sync))
    return built


_OPS = ("aten::", "ConvolutionBackward", "torch.distributed.ddp.reducer::")
"""What torch records as ops begins so."""


def _tell(built: TraceBuilder, code: str, span: tuple[float, float], thread: int) -> None:
    """The range around what the program did in this code."""
    name, _, number = code.partition("#")
    if not code.startswith(_OPS):
        tell = built.frame if ".py(" in code else built.annotation
        tell(code, *span, thread=thread)
        return
    built.op(name, *span, thread=thread)
    if number:
        built.events[-1]["args"] |= {"Sequence number": int(number)}


class _Writer:
    def __init__(self, built: TraceBuilder, program: Program, origin_ns: int) -> None:
        self._built = built
        self._names_awaited = program.names_awaited
        self._origin_ns = origin_ns
        self._records: dict[int, tuple[int, int]] = {}
        """Of each event, as it was recorded last: its stream and its call's correlation."""

    def runs(self, task: Task) -> tuple[float, float]:
        return self._at(task.start_ns), self._at(task.end_ns)

    def _at(self, instant_ns: int) -> float:
        return _us(instant_ns - self._origin_ns)

    def write(self, done: Done) -> None:
        action = done.action
        if isinstance(action, Copy):
            self._copy(action, done)
        elif isinstance(action, Synchronize):
            self._synchronize(action, done)
        elif isinstance(action, Launch):
            self._launch(action, done)
        elif isinstance(action, Allocate):
            self._built.call(action.api, *self._call(done, 0), thread=action.thread)
        elif isinstance(action, RecordEvent):
            call = self._built.record_event(*self._call(done, 0), thread=action.thread)
            self._records[action.event] = (action.stream, call)
        elif isinstance(action, StreamWait):
            self._stream_wait(action, done)

    def _call(self, done: Done, number: int) -> tuple[float, float]:
        call = done.calls[number]
        return self._at(call.start_ns), self._at(call.end_ns)

    def _launch(self, action: Launch, done: Done) -> None:
        if not action.recorded:
            return
        place = {"stream": action.stream, "device": action.device, "name": action.name}
        if action.op:
            self._built.op(action.op, self._at(done.start_ns), self._at(done.end_ns), thread=action.thread)
            if action.shapes:
                self._built.events[-1]["args"]["Input Dims"] = action.shapes
        runs = [self.runs(task) for task in done.tasks]
        if len(runs) > 1:
            graph = self._built.call("cudaGraphLaunch", *self._call(done, 0), thread=action.thread)
            for run in runs:
                self._built.kernel(*run, correlation=graph, **place)
        else:
            said = {"blocks per SM": action.blocks} if action.blocks else {}
            self._built.launch(*self._call(done, 0), runs=runs[0], thread=action.thread, **place, **said)

    def _stream_wait(self, action: StreamWait, done: Done) -> None:
        stream, call = self._records[action.event]
        if self._names_awaited:
            names = {"stream": action.stream, "awaited": stream, "record": call, "thread": action.thread}
            self._built.stream_wait(*self._call(done, 0), device=action.device, **names)
        else:
            self._built.call("cudaStreamWaitEvent", *self._call(done, 0), thread=action.thread)

    def _copy(self, action: Copy, done: Done) -> None:
        start, end = self._at(done.start_ns), self._at(done.end_ns)
        reads_scalar = action.direction == "DtoH" and action.size_bytes <= 16
        scalar, tensor = ("aten::item", "aten::_local_scalar_dense"), ("aten::to", "aten::copy_")
        for name in scalar if reads_scalar else tensor:
            self._built.op(name, start, end, thread=action.thread)
        self._frame(action.site, start, end, action.thread)
        self._built.copy(
            action.direction,
            action.memory,
            *self._call(done, 0),
            runs=self.runs(done.tasks[0]),
            size_bytes=action.size_bytes,
            call=action.api,
            stream=action.stream,
            device=action.device,
            thread=action.thread,
        )
        if action.synchronized:
            self._wait(done, 1, action)

    def _synchronize(self, action: Synchronize, done: Done) -> None:
        self._frame(action.site, *self._call(done, 0), action.thread)
        self._wait(done, 0, action)

    def _wait(self, done: Done, number: int, action: Copy | Synchronize) -> None:
        call = done.calls[number]
        awaited = -1 if "Device" in call.name else action.stream
        self._built.synchronize(
            call.name,
            *self._call(done, number),
            thread=action.thread,
            awaited=awaited if self._names_awaited else None,
            device=action.device,
        )

    def _frame(self, site: int, start: float, end: float, thread: int) -> None:
        if site != NO_SITE:
            self._built.frame(f"train.py({10 + site}): {site_function(site)}", start, end, thread=thread)
            self._built.annotation(site_label(site), start, end, thread=thread)


def _recorded(done: Done) -> tuple[Task, ...]:
    hidden = isinstance(done.action, Launch) and not done.action.recorded
    return () if hidden or isinstance(done.action, StreamWait) else done.tasks


def _backward(run: Run) -> Iterator[tuple[int, int]]:
    """The stretches of the window in which the autograd thread worked."""
    inside = (done for done in run.training if done.start_ns >= run.start_ns)
    for thread, stretch in itertools.groupby(inside, key=lambda done: done.action.thread):
        if thread == AUTOGRAD:
            done = list(stretch)
            yield done[0].start_ns, done[-1].end_ns


def _ranges(run: Run) -> Iterator[tuple[str, int, int, int]]:
    """The code of the window that has a name, with its thread, its start and its end."""
    inside = (done for done in run.training if done.start_ns >= run.start_ns)
    for (code, thread), stretch in itertools.groupby(inside, key=_code):
        if code:
            done = list(stretch)
            yield code, thread, done[0].start_ns, done[-1].end_ns


def _code(done: Done) -> tuple[str, int]:
    action = done.action
    return (action.code if isinstance(action, Work | Launch | Allocate) else "", action.thread)


def _us(ns: int) -> float:
    return ns / 1000
