"""Ranks with a host and streams each, that meet in collectives.

A host gives work to its streams and runs ahead of them, until it waits for them. Kernels of the compute
stream run in order. A collective begins on a rank when its stream is free, the kernels before it are done and
the host has launched it; it ends for all a transfer after the last has begun. A ring moves 2 (n - 1) / n of
the bytes over each link (all-reduce), so that is how long the transfer takes.

Nothing here is taken from tbprof's analysis: this is what it is judged by.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field

from job_program import Action, Collective, Copy, Host, Job, Join, Kernel, StepBegin, Sync

LAUNCH_NS = 4_000
"""What a launch costs the host."""
LATENCY_NS = 3_000
"""From a launch to the earliest begin on the device."""
BANDWIDTH = 40.0
"""Bytes a ns over each link."""
HANDSHAKE_NS = 8_000


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the device."""

    action: Kernel | Copy | Collective
    start_ns: int
    end_ns: int
    step: int
    launched_ns: int
    waited_ns: int
    """How long the host had waited for the device before it launched it."""


@dataclass(frozen=True, slots=True)
class HostSpan:
    """What the host was in, or had just come out of, and where."""

    kind: str
    line: str
    start_ns: int
    end_ns: int


@dataclass(slots=True)
class RankRun:
    """What happened on one rank."""

    rows: list[Row] = field(default_factory=list)
    steps: dict[int, int] = field(default_factory=dict)
    """When the host began each."""
    host: list[HostSpan] = field(default_factory=list)
    syncs: list[HostSpan] = field(default_factory=list)
    """When the host waited for its streams."""
    end_ns: int = 0
    """Of the host."""


_Arrival = tuple[Collective, int]


def simulate(job: Job, seed: int) -> tuple[RankRun, ...]:
    """Run a job; the seed decides by how many ns ranks leave a collective apart."""
    draw = random.Random(seed)
    runs = tuple(RankRun() for _ in job.ranks)
    threads = [_rank(actions, run) for actions, run in zip(job.ranks, runs, strict=True)]
    pending: dict[int, _Arrival] = {
        rank: arrival for rank, thread in enumerate(threads) for arrival in _next(thread)
    }
    while pending:
        arrived: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        for rank, (collective, begin) in pending.items():
            arrived[collective.group, collective.number][rank] = begin
        group, number = next(
            key for key, ranks in sorted(arrived.items()) if len(ranks) == len(job.groups[key[0]])
        )
        begins = arrived[group, number]
        some = pending[min(begins)][0]
        size = len(begins)
        end = max(begins.values()) + HANDSHAKE_NS + int(2 * (size - 1) / size * some.bytes / BANDWIDTH)
        for rank in begins:
            del pending[rank]
            pending.update((rank, arrival) for arrival in _next(threads[rank], end + draw.randint(0, 1_500)))
    return runs


def _next(thread: Generator[_Arrival, int, None], end_ns: int | None = None) -> list[_Arrival]:
    try:
        return [next(thread) if end_ns is None else thread.send(end_ns)]
    except StopIteration:
        return []


def _rank(actions: tuple[Action, ...], run: RankRun) -> Generator[_Arrival, int, None]:
    host, compute, step, waited = 0, 0, 0, 0
    streams: defaultdict[str, int] = defaultdict(int)
    after_sync: HostSpan | None = None
    for action in actions:
        if isinstance(action, StepBegin):
            step = action.number
            run.steps[step] = host
        elif isinstance(action, Host):
            run.host.append(HostSpan(action.kind, action.line, host, host + action.ns))
            host += action.ns
        elif isinstance(action, Sync):
            waited += max(compute - host, 0)
            run.syncs.append(HostSpan("sync", action.line, host, max(host, compute)))
            host = max(host, compute)
            after_sync = HostSpan("after sync", action.line, host, host)
        elif isinstance(action, Join):
            compute = max(compute, streams[action.group])
        else:
            host += LAUNCH_NS
            if after_sync is not None:
                run.host.append(HostSpan("after sync", after_sync.line, after_sync.start_ns, host))
                after_sync = None
            begin = max(host + LATENCY_NS, compute)
            if isinstance(action, Collective):
                begin = max(begin, streams[action.group])
                end = yield action, begin
                streams[action.group] = end
                compute = end if action.blocks else compute
            else:
                end = compute = begin + action.ns
            run.rows.append(Row(action, begin, end, step, host, waited))
        run.end_ns = host
