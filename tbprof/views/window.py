"""What the tab shows of one window."""

from __future__ import annotations

from typing import Literal

from tbprof.records import dataclass
from tbprof.views.communication import CommunicationView
from tbprof.views.copies import CopyRow
from tbprof.views.findings import FindingRow, PredictedRow, SavingView
from tbprof.views.instances import InstanceView
from tbprof.views.overview import OverviewView


@dataclass(frozen=True, slots=True)
class SourceView:
    file: str
    line: int | None
    function: str
    exact: bool
    candidates: tuple[int, ...]
    code: str
    """The line's text; "" where it is not exact or was not recorded."""
    doubt: str
    """What is not known of its line; "" if nothing."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """Totals are those of the window."""

    index: int
    where: str
    """Where to look for it, in short: its line, else what is recorded around it."""
    what: str
    direction: str
    memory: str
    calls: tuple[str, ...]
    ops: tuple[str, ...]
    source: SourceView | None
    library: str | None
    """The library that `source` is in; null for the user's own."""
    callers: tuple[SourceView, ...]
    """The frames around `source`, from the inside out."""
    label: str | None
    module: str | None
    count: int
    blocking: int
    per_step: tuple[int, ...]
    wait_per_step_us: tuple[float, ...]
    """Empty where it was left out, as `per_step` is then."""
    bytes: int
    wait_us: float
    wait_net_us: float
    explained_us: float
    op_before: str | None
    """The operators around its own, where no line, label or module is known."""
    op_after: str | None
    communication_wait_us: float | None
    """The part of `explained_us` during which the device communicated and computed nothing."""
    starve_us: float
    share_of_steps: float | None
    """`wait_us` over the length of all steps, 0 to 1; null where it is longer: calls began before them, or
    waited on several threads."""
    device_us: float | None
    """How long its copies took on the device."""
    exposed_us: float | None
    """The part of `device_us` during which the device computed nothing."""
    bytes_per_s: float | None
    non_blocking: bool | None
    """How the line asked for its copies, where that was recorded."""
    findings: tuple[FindingRow, ...]
    instance: InstanceView | None


@dataclass(frozen=True, slots=True)
class StepRow:
    name: str
    start_us: float
    duration_us: float
    cold: bool
    sync_points: int
    wait_us: float
    device_idle_us: float | None
    idle_empty_us: float | None
    gpu_lag_us: float | None


@dataclass(frozen=True, slots=True)
class SyncView:
    count: int
    wait_us: float
    wait_in_copy_us: float
    wait_in_sync_us: float
    explained_us: float
    profiler_own_us: tuple[float, ...]
    is_recorded: bool
    """Whether calls of the host were; else the figures are 0, and say nothing."""


@dataclass(frozen=True, slots=True)
class DeviceIdleRow:
    device: str
    """Its number."""
    share_of_steps: float
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class IdleView:
    device_us: float
    empty_us: float
    queued_us: float
    share_of_steps: float
    """Mean over the devices, 0 to 1."""
    by_device: tuple[DeviceIdleRow, ...]
    """In the order of their numbers."""


@dataclass(frozen=True, slots=True)
class HealthRow:
    code: str
    severity: Literal["info", "warning", "error"]
    message: str


@dataclass(frozen=True, slots=True)
class NotCheckedRow:
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class WindowView:
    run: str
    worker: str
    window: str
    rank: int | None
    world_size: int | None
    devices: tuple[str, ...]
    era: str
    span_us: float
    num_events: int
    state: Literal["findings", "sites", "clean", "no_device"]
    """The kind of page: with findings, with sites only, nothing found, no GPU recorded."""
    verdict: str
    detail: str
    """A second sentence, "" if there is nothing to add."""
    scope: str
    """What the figures of all views are of, where much of what was recorded is not in the file; else ""."""
    first_action: str
    """What to change first, where, and what it saves; "" if nothing is worth it."""
    steps: tuple[StepRow, ...]
    marks_steps: bool
    """Whether the trace marks steps; else the whole window stands as one."""
    median_step_us: float | None
    """Median of the steps that are not cold; null where the window has no steps."""
    total_steps_us: float
    sync_points: SyncView
    copies: tuple[CopyRow, ...]
    idle: IdleView | None
    savings: SavingView | None
    calibrated: bool
    sites: tuple[SiteRow, ...]
    predicted: tuple[PredictedRow, ...]
    """Only where no GPU was recorded; the line to change first comes first."""
    actions_title: str
    """Title of the list of the Overview's actions: something else may come before them."""
    predicted_first: bool
    """Whether these are to be changed before the actions of the Overview."""
    health: tuple[HealthRow, ...]
    worst_health: Literal["ok", "info", "warning", "error"]
    """The worst of all that the Overview lists for and against the figures."""
    not_checked: tuple[NotCheckedRow, ...]
    environment: tuple[EnvironmentRow, ...]
    overview: OverviewView
    communication: CommunicationView | None
    """Null where nothing was said to another rank."""
    records_memory: bool
    """Whether the trace holds what allocators did."""
