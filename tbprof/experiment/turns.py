"""Steps of this process, taken in blocks that the experiment asks for, with a pause after each block."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

import msgspec
import torch

from tbprof.experiment.delays import LINE
from tbprof.experiment.messages import Block, Connection, Order
from tbprof.preflight.proof.guard import modules_from

_TIMERS = ("perf_counter", "perf_counter_ns", "time", "time_ns", "process_time", "monotonic")


class Turns:
    """`step` ends a step; at the end of a block it returns only when the next one is asked for."""

    def __init__(self, line: Connection, original: str, root: str) -> None:
        self.order = Order(1)
        """The first block ends with the first step, and holds all that comes before it."""
        self.values = ""
        self._line, self._original, self._root = line, original, root
        self._timers = {name: getattr(time, name) for name in _TIMERS}
        self._profiler: Any = None
        self._last_ns = 0
        self._begin()

    def step(self, *_: object) -> None:
        """A step is over."""
        now_ns = perf_counter_ns()
        self._wall_ns.append(now_ns - self._last_ns)
        self._last_ns = now_ns
        if self._profiler is not None:
            self._profiler.step()
        if self._events:
            self._events += _event()
        if len(self._wall_ns) >= self.order.steps:
            self.end_block()
            self.await_order()

    def end_block(self, *, has_ended: bool = False) -> None:
        """Say what was taken, once every device has done its work."""
        cpu_ns = process_time_ns() - self._cpu_ns
        for device in _devices():
            torch.cuda.synchronize(device)
        total_ns = perf_counter_ns() - self._begun_ns
        if self._profiler is not None:
            self._profiler.stop()
            self._profiler = None
        pairs = zip(self._events[1:], self._events[2:], strict=False)
        block = Block(
            wall_ns=tuple(self._wall_ns),
            cpu_ns=cpu_ns,
            total_ns=total_ns,
            device_ns=tuple(one.elapsed_time(other) * 1e6 for one, other in pairs),
            peak_bytes=_peak_bytes(),
            has_ended=has_ended,
            outside=self._outside(),
            touched=tuple(name for name, timer in self._timers.items() if getattr(time, name) is not timer),
            reached=LINE.reached,
            waited_ns=LINE.waited_ns,
            line_ns=LINE.took_ns,
            values=self.values,
        )
        self._line.send(block)

    def _outside(self) -> tuple[str, ...]:
        """Once: to look at all modules takes longer than a short step."""
        original, self._original = self._original, ""
        return modules_from(Path(original), Path(self._root)) if original else ()

    def await_order(self) -> None:
        """Pause until it is this side's turn; the experiment's end is this process's."""
        words = self._line.receive()
        if not words:
            os._exit(1)
        self.order = msgspec.json.decode(words, type=Order)
        if self.order.trace:
            self._profiler = _profiler(self.order)
            self._profiler.start()
        self._begin()

    def _begin(self) -> None:
        self._wall_ns: list[int] = []
        self._events = _event()
        LINE.delay_ns = self.order.delay_ns
        LINE.reached = LINE.waited_ns = LINE.took_ns = 0
        self._cpu_ns = process_time_ns()
        # A step may end within the line.
        self._begun_ns = self._last_ns = LINE.begun_ns = perf_counter_ns()


def _profiler(order: Order) -> Any:
    """One that writes a trace of all steps but the first, in which it warms up."""
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=order.steps - 1, repeat=1)
    return torch.profiler.profile(
        schedule=schedule, on_trace_ready=lambda made: made.export_chrome_trace(order.trace)
    )


def _devices() -> list[int]:
    """The devices with a context of this process: to ask others would make one there."""
    if not torch.cuda.is_initialized():
        return []
    return [each for each in range(torch.cuda.device_count()) if torch._C._cuda_hasPrimaryContext(each)]


def _event() -> list[Any]:
    """An event in the current stream; none without a device, and none that a CUDA graph would capture."""
    devices = _devices()
    if not devices:
        return []
    current = torch.cuda.current_device()
    with torch.cuda.device(current if current in devices else devices[0]):
        if torch.cuda.is_current_stream_capturing():
            return []
        event = torch.cuda.Event(enable_timing=True)
        event.record()
    return [event]


def _peak_bytes() -> int:
    """The most that was held: on the devices, or without one by the process."""
    if devices := _devices():
        return sum(torch.cuda.max_memory_allocated(device) for device in devices)
    if not sys.platform.startswith("linux"):
        return 0
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
