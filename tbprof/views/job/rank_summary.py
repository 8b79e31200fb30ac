"""What the job's page needs of a rank's report: a few kB, so that thousands can be held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from tbprof.file_names import rank_of
from tbprof.job.rank_record import RankRecord, record_of_report
from tbprof.model import HOST_DEVICE, Report, Window
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class RankSummary:
    worker: str
    rank: int | None
    world_size: int | None
    on: Literal["device", "host"]
    record: RankRecord | None
    why_not: Literal["", "older", "nothing", "damaged"]
    """Why there is no record."""
    is_damaged: bool
    """Whether only a part of its trace could be read."""
    left_out: int
    """Later collectives that the report had no room for."""
    steps: int
    step_ns: int | None
    """The length of all steps; None where there is none."""
    computing_ns: int | None
    """The computing of one device, as the next ones; None where no device was recorded."""
    exposed_ns: int | None
    copying_ns: int | None
    idle_ns: Mapping[str, int]
    """The idle by cause."""
    recorded_ns: int
    """When its window was, in ns since 1970; 0 where nobody knows."""
    exact_lines: frozenset[tuple[str, int]]
    """Lines that are those of calls, not of a `def`."""
    is_cold: bool
    """Whether its window began before the program was warm."""


def rank_of_window(window: Window, report: Report) -> RankSummary:
    """The summary of a window, by the rank in the name of its file."""
    return rank_summary(report, window.worker, rank_of(window.worker), window.order_ns)


def rank_summary(report: Report, worker: str, rank: int | None, recorded_ns: int = 0) -> RankSummary:
    """The summary of a window of one worker.

    Args:
        report: Of the window.
        worker: Its name, as its file has it.
        rank: As the file's name has it; else the trace's own counts.
        recorded_ns: When the window was.
    """
    trace, communication = report.trace, report.communication
    sequence = None if communication is None else communication.sequence
    rank = trace.rank if rank is None else rank
    record = record_of_report(report, -1 if rank is None else rank)
    devices = 0 if report.idle is None else max(len(report.idle.by_device), 1)
    sums = {name: sum(values) // devices for name, values in _parts(report) if devices}
    return RankSummary(
        worker=worker,
        rank=rank,
        world_size=trace.world_size,
        on="host" if sequence is not None and sequence.device == HOST_DEVICE else "device",
        record=record,
        why_not="" if record is not None else _why_not(report),
        is_damaged=trace.is_damaged,
        left_out=0 if sequence is None else sequence.left_out,
        steps=len(report.steps),
        step_ns=report.window_ns if report.steps else None,
        computing_ns=sums.get("computing"),
        exposed_ns=sums.get("exposed"),
        copying_ns=sums.get("copying"),
        idle_ns={name: ns for name, ns in sums.items() if name not in _OTHER},
        recorded_ns=recorded_ns,
        exact_lines=frozenset(
            (site.source.file, site.source.line)
            for site in report.sites
            if site.source is not None and site.source.line is not None and site.source.exact
        ),
        is_cold=report.verdict is not None and report.verdict.case == "cold_start",
    )


def _why_not(report: Report) -> Literal["older", "nothing", "damaged"]:
    if report.communication is not None and report.communication.sequence is not None:
        return "older"
    return "damaged" if report.trace.is_damaged else "nothing"


_OTHER = ("computing", "exposed", "copying")


def _parts(report: Report) -> Iterator[tuple[str, list[int]]]:
    """The parts of all devices, step by step; a version that kept less leaves some of it out."""
    columns = {
        "computing": [step.computing_ns for step in report.steps],
        "exposed": [step.communication_exposed_ns for step in report.steps],
        "copying": [step.copying_ns for step in report.steps],
    }
    for name, values in columns.items():
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            yield name, known
    for cause in sorted({cause for step in report.steps for cause in step.idle_by_cause}):
        yield cause, [step.idle_by_cause.get(cause, 0) for step in report.steps]
