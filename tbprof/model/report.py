"""A report, and the windows of a log directory."""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.model.communication import Communication
from tbprof.model.computing import Computing, GpuUse
from tbprof.model.findings import Check, FailedRule, Finding, NotChecked, PlanRow, Ranked, Savings, Verdict
from tbprof.model.memory import MemoryPeak
from tbprof.model.recorded import HookFacts, RecordedCall, SourceText
from tbprof.model.sites import PredictedLine, Site, SiteIndex
from tbprof.model.window import CodeShare, CopyTotal, Idle, Step, SyncTotals, TraceSummary
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that tbprof knows about one window; the thing that is stored."""

    trace: TraceSummary
    steps: tuple[Step, ...]
    sync_points: SyncTotals
    copies: tuple[CopyTotal, ...]
    sites: tuple[Site, ...]
    idle: Idle | None
    code: tuple[CodeShare, ...]
    savings: Savings | None
    findings: tuple[Finding, ...]
    fix_plan: tuple[PlanRow, ...]
    verdict: Verdict | None
    not_checked: tuple[NotChecked, ...]
    failed_rules: tuple[FailedRule, ...]
    recorded_calls: tuple[RecordedCall, ...]
    facts: HookFacts | None
    sources: tuple[SourceText, ...] = ()
    """The code around the recorded calls."""
    predicted_lines: tuple[PredictedLine, ...] = ()
    """Only where no device work was recorded; in the order of the files and lines."""
    communication: Communication | None = None
    """None where neither a device nor a collective of the hosts is known, or by a version that kept less."""
    checks: tuple[Check, ...] = ()
    """One a rule, by family and code; none of a version that kept less."""
    computing: Computing | None = None
    """None where no device is known, or by a version that kept less."""
    faster_device_ns: int | None = None
    """What any faster device could win at most beside this host; None as for `computing`."""
    memory: tuple[MemoryPeak, ...] = ()
    """One a device; none where no allocations were recorded, or by a version that kept less."""
    gpu_use: tuple[GpuUse, ...] = ()
    """One a device that ran kernels; none by a version that kept less."""
    ranked: Ranked | None = None
    """What to change, in order, as `tbprof.judge` decided; None by a version that kept less."""

    @property
    def window_ns(self) -> int:
        """All steps together: no saving is more."""
        return sum(step.length_ns for step in self.steps)

    @property
    def devices_ns(self) -> int:
        """All steps together on every device that worked; 0 where no GPU work was recorded."""
        return 0 if self.idle is None else self.window_ns * len(self.idle.by_device)

    @property
    def indexed_sites(self) -> Iterator[tuple[SiteIndex, Site]]:
        return ((SiteIndex(index), site) for index, site in enumerate(self.sites))


@dataclass(frozen=True, slots=True)
class Window:
    """Where the files of one window are; at least one of the two paths is there."""

    run: str
    """Path of the run's folder relative to the log directory, with forward slashes."""
    worker: str
    window: str
    """Its id: the trace's file name, or the one that the report's name stands for."""
    order_ns: int
    """Sorts the windows of a worker: the ns in the file name, else the time of the last change."""
    trace_path: str | None
    report_path: str | None
    size_bytes: int
    """Size of the trace file, 0 where it is gone."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that looks like a window and is not offered, with the code of the reason, or its sentence."""

    path: str
    reason: str
