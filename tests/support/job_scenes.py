"""Ranks of a job that meet twice a step, the second of them late because its loader is slow."""

from __future__ import annotations

import os
import time
from pathlib import Path

from communication_scenes import NAME
from trace_builder import TraceBuilder

STEPS = 4
LATE = 1
LATE_US = 400.0
STEP_US = 710.0 + LATE_US

_LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def job_of(ranks: int, late_us: float = LATE_US, *, loads: bool = True) -> list[TraceBuilder]:
    """One trace a rank, in which the host waits for its device at the end of each step.

    What its host does then while the device has nothing to do is the loader's work, or that of nobody in
    particular.
    """
    return [_rank(late_us if rank == LATE else 0.0, late_us, loads=loads) for rank in range(ranks)]


def write_job(folder: Path, ranks: int, window: int = 1) -> list[Path]:
    """As the hook names them, a minute from one window to the next."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = 1752215573993160000 + (window - 1) * 60_000_000_000
    return [
        built.write(folder / f"node_{rank}_rank{rank}.{begin + rank}.pt.trace.json.gz", gz=True)
        for rank, built in enumerate(job_of(ranks))
    ]


def write_job_that_loses_ranks(folder: Path) -> None:
    """Three windows of three ranks an hour ago; rank 1 has no third one, and that of rank 2 is cut off."""
    _, stopped, damaged = [write_job(folder, 3, window) for window in (1, 2, 3)][-1]
    stopped.unlink()
    content = damaged.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])
    hour_ago_s = time.time() - 3600
    for path in folder.iterdir():
        os.utime(path, (hour_ago_s, hour_ago_s))


def pipeline_of(stages: int) -> list[TraceBuilder]:
    """Each sends what it computed to the next, which waits for it; `LATE` computes `LATE_US` longer."""
    return [_stage(rank, stages) for rank in range(stages)]


def _stage(rank: int, stages: int) -> TraceBuilder:
    built = TraceBuilder()
    built.rank = rank
    for number in range(STEPS):
        begin = number * 2_000.0
        built.step(number, begin, begin + 2_000)
        ready = begin + 20 + 120 * rank + (LATE_US if rank > LATE else 0.0)
        done = ready + 100 + (LATE_US if rank == LATE else 0.0)
        if rank > 0:
            _transfer(built, begin + 1, "recv", rank - 1, stages, runs=(begin + 10, ready))
        built.op("aten::mm", begin + 5, begin + 9)
        built.launch(begin + 6, begin + 8, runs=(ready, done))
        if rank < stages - 1:
            _transfer(built, begin + 11, "send", rank + 1, stages, runs=(done, done + 20))
    return built


def _transfer(
    built: TraceBuilder, at: float, kind: str, peer: int, size: int, *, runs: tuple[float, float]
) -> None:
    """As torch records it: with the other end alone, and a number that each rank counts for itself."""
    built.op("record_param_comms", at, at + 3)
    end = {"Dst Rank": peer} if kind == "send" else {"Src Rank": peer}
    said = {"Collective name": kind, "dtype": "Float", "In msg nelems": 1_000, "Out msg nelems": 1_000}
    group = {"Process Group Name": "pp", "Group size": size, "Seq": len(built.events)}
    built.events[-1]["args"].update(said | group | end)
    built.launch(at + 1, at + 2, runs=runs, name="ncclDevKernel_SendRecv", stream=20)


def _rank(own_us: float, latest_us: float, *, loads: bool) -> TraceBuilder:
    built = TraceBuilder()
    for number in range(STEPS):
        begin = number * STEP_US
        built.step(number, begin, begin + STEP_US)
        ready, again = begin + 100 + own_us, begin + 450 + latest_us
        if loads:
            built.annotation(_LOADER, begin + 1, ready - 5)
        built.op("aten::mm", ready - 4, ready)
        built.launch(ready - 3, ready - 1, runs=(ready, ready + 300))
        _all_reduce(built, ready + 1, runs=(ready + 300, again))
        built.op("aten::add", ready + 10, ready + 14)
        built.launch(ready + 11, ready + 13, runs=(again, again + 200))
        _all_reduce(built, ready + 20, runs=(again + 200, again + 250))
        built.frame("train.py(88): log_loss", ready + 30, again + 256)
        built.synchronize("cudaDeviceSynchronize", ready + 31, again + 255)
    return built


def _all_reduce(built: TraceBuilder, at: float, *, runs: tuple[float, float]) -> None:
    built.op("record_param_comms", at, at + 3)
    said = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1_000, "Out msg nelems": 1_000}
    built.events[-1]["args"].update(said | {"Process Group Name": "0", "Group size": 3})
    built.launch(at + 1, at + 2, runs=runs, name=NAME, stream=20)
