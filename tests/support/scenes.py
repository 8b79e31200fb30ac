"""Short trainings whose waits, idle and savings are known, told with the trace builder.

All times are in us. A step takes 1000 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE

SIDE = 777
"""A thread of its own: a pin thread, a checkpoint writer."""


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode as plain values."""

    calls: tuple[str, ...]
    direction: str
    memory: str
    blocking: bool
    wait_ns: int


def episodes_of(facts: Facts) -> list[EpisodeRow]:
    """The episodes in the order of their start."""
    episodes, slices = facts.episodes, facts.trace.slices
    rows = []
    for i in sorted(range(len(episodes.first)), key=lambda i: episodes.start_ns[i]):
        parts = [at for at in (int(episodes.first[i]), int(episodes.joined[i])) if at != NONE]
        rows.append(
            EpisodeRow(
                calls=tuple(facts.trace.names[slices.name[facts.calls.rows[at]]] for at in parts),
                direction=DIRECTIONS[episodes.direction[i]],
                memory=MEMORIES[episodes.memory[i]],
                blocking=bool(episodes.blocking[i]),
                wait_ns=int(episodes.wait_ns[i]),
            )
        )
    return rows


def read_scalar(
    built: TraceBuilder,
    start: float,
    *,
    wait: float,
    size_bytes: int = 4,
    ops: tuple[str, ...] = ("aten::item", "aten::_local_scalar_dense"),
    stream: int = 7,
    thread: int = MAIN,
) -> None:
    """A read of the device within `ops`, outermost first, that takes `wait` + 2 in its two calls.

    The copy runs in the last 2 of its call.
    """
    end = start + wait
    for name in ops:
        built.op(name, start, end + 4, thread=thread)
    built.copy(
        "DtoH",
        "pageable",
        start,
        end,
        runs=(end - 2, end),
        size_bytes=size_bytes,
        stream=stream,
        thread=thread,
    )
    built.synchronize("cudaStreamSynchronize", end + 1, end + 3, thread=thread)


def upload(built: TraceBuilder, start: float, *, wait: float, size_bytes: int) -> None:
    """`x.to(device)` from pageable memory: `wait` in the copy call, 2 in the synchronize after it."""
    end = start + wait
    for name in ("aten::to", "aten::_to_copy", "aten::copy_"):
        built.op(name, start, end + 4)
    built.copy("HtoD", "pageable", start, end, runs=(start + 1, end), size_bytes=size_bytes)
    built.synchronize("cudaStreamSynchronize", end + 1, end + 3)


def host_bound(steps: int = 4) -> TraceBuilder:
    """One read a step drains the device, and the host then takes long to launch more.

    A step waits 322, of which the device works 312, and leaves it idle for 508: 498 with
    nothing queued, of which 170 - 10 (the latency of a launch) come right after the read.
    """
    built = TraceBuilder()
    for number in range(steps):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 420))
        for name in ("aten::item", "aten::_local_scalar_dense"):
            built.op(name, start + 108, start + 436)
        built.copy("DtoH", "pageable", start + 110, start + 430, runs=(start + 420, start + 422))
        built.synchronize("cudaStreamSynchronize", start + 433, start + 435)
        built.launch(start + 600, start + 605, runs=(start + 610, start + 700))
    return built


def nearly_gpu_bound(steps: int = 4) -> TraceBuilder:
    """One long read a step, after which the device runs dry for a moment.

    A step waits 797 and leaves the device idle for 48, of which 38 with nothing queued and
    15 - 10 of these right after the read.
    """
    built = TraceBuilder()
    for number in range(steps):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 900))
        for name in ("aten::item", "aten::_local_scalar_dense"):
            built.op(name, start + 108, start + 912)
        built.copy("DtoH", "pageable", start + 110, start + 905, runs=(start + 900, start + 902))
        built.synchronize("cudaStreamSynchronize", start + 908, start + 910)
        built.launch(start + 920, start + 925, runs=(start + 930, start + 1000))
    return built


def gpu_bound(steps: int = 4) -> TraceBuilder:
    """Three reads a step on a stream of their own, while the device never stops for more than 3.

    A step waits 456. The first microsecond of a step has nothing queued, the next two have.
    """
    built = TraceBuilder()
    for number in range(steps):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 1, runs=(start + 3, start + 1000))
        for at in (100, 400, 700):
            read_scalar(built, start + at, wait=150, stream=20)
    return built
