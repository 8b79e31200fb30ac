"""What a profiler would have written of a simulated job: a Kineto trace a rank, through the trace builder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from job_program import Collective, Copy, Job, Kernel
from simulated_job import LAUNCH_NS, HostSpan, RankRun, Row
from trace_builder import TraceBuilder

_COMPUTE = 7
_FIRST_OF_GROUPS = 20
_UNKNOWN_LAUNCH = 5_000_000
"""Correlations of launches before the recording begin here."""

_LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
_SYNC_NS = 6_000
"""What a call costs that has nothing to wait for."""


def record_job(job: Job, runs: tuple[RankRun, ...]) -> Iterator[TraceBuilder]:
    """One trace a rank, of the steps after the warm-up, each on its rank's clock."""
    return (_Recorder(job, rank, run).recorded() for rank, run in enumerate(runs))


class _Recorder:
    def __init__(self, job: Job, rank: int, run: RankRun) -> None:
        self._job = job
        self._run = run
        self._origin_ns = run.steps[job.warm_up] - job.clock_ns[rank]
        self._unknown = itertools.count(_UNKNOWN_LAUNCH)
        self._streams = {group: _FIRST_OF_GROUPS + number for number, group in enumerate(sorted(job.groups))}
        self._built = TraceBuilder()

    def recorded(self) -> TraceBuilder:
        begin = self._run.steps[self._job.warm_up]
        self._steps()
        for row in self._run.rows:
            if row.launched_ns - LAUNCH_NS >= begin:
                self._launched(row)
            elif row.start_ns >= begin:
                self._from_before(row)
        for span in self._run.host:
            if span.start_ns >= begin and span.kind != "after sync":
                self._host(span)
        for span in self._run.syncs:
            if span.start_ns >= begin:
                self._sync(span)
        return self._built

    def _at(self, ns: int) -> float:
        return (ns - self._origin_ns) / 1000

    def _steps(self) -> None:
        begins = [at for step, at in self._run.steps.items() if step >= self._job.warm_up]
        for number, (start, end) in enumerate(itertools.pairwise([*begins, self._run.end_ns])):
            self._built.step(self._job.warm_up + number, self._at(start), self._at(end))

    def _launched(self, row: Row) -> None:
        begin, end = self._at(row.launched_ns - LAUNCH_NS), self._at(row.launched_ns)
        runs = (self._at(row.start_ns), self._at(row.end_ns))
        action = row.action
        if isinstance(action, Copy):
            self._built.op("aten::copy_", begin, end)
            self._built.copy("HtoD", "pinned", begin, end, runs=runs, stream=_COMPUTE)
            return
        if isinstance(action, Kernel):
            self._built.frame(f"nn.Module: {action.module}", begin, end)
            self._built.op(action.op, begin, end)
            if self._job.records_shapes:
                self._built.events[-1]["args"]["Input Dims"] = [[action.elements]]
            self._built.launch(begin, end, runs=runs, stream=_COMPUTE)
            return
        self._built.op("record_param_comms", begin, end)
        self._built.events[-1]["args"].update(self._said(action))
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        self._built.launch(begin, end, runs=runs, name=name, stream=self._streams[action.group])

    def _said(self, action: Collective) -> dict[str, object]:
        numbers = {"Seq": action.number} if self._job.records_numbers else {}
        return {
            "Collective name": "allreduce",
            "dtype": "Byte",
            "In msg nelems": action.bytes,
            "Out msg nelems": action.bytes,
            "Process Group Name": action.group,
            "Group size": len(self._job.groups[action.group]),
            **numbers,
        }

    def _from_before(self, row: Row) -> None:
        is_collective = isinstance(row.action, Collective)
        stream = self._streams[row.action.group] if isinstance(row.action, Collective) else _COMPUTE
        self._built.kernel(
            self._at(row.start_ns),
            self._at(row.end_ns),
            name="ncclDevKernel_AllReduce_Sum_f32_RING_LL" if is_collective else "kernel",
            stream=stream,
            correlation=next(self._unknown),
        )

    def _host(self, span: HostSpan) -> None:
        start, end = self._at(span.start_ns), self._at(span.end_ns)
        if span.kind == "loader":
            self._built.annotation(_LOADER, start, end)
        self._built.frame(_frame(span.line), start, end)

    def _sync(self, span: HostSpan) -> None:
        """The call is over when the host may go on; it has begun a little earlier."""
        start, end = self._at(span.start_ns), self._at(span.end_ns)
        self._built.frame(_frame(span.line), start, end)
        self._built.synchronize("cudaStreamSynchronize", start, end, awaited=_COMPUTE)


def _frame(line: str) -> str:
    """Each line is a function of its own."""
    file, _, number = line.partition(":")
    return f"{file}({number}): line_{number}"
