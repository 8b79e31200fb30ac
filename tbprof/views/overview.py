"""What the Overview shows: where a step goes, why the GPU is idle, what to change, what to trust.

All times are us of one step: means of the steady steps, but savings and code shares, which are
the window's divided by its steps. Device times are means over the devices.
"""

from __future__ import annotations

from typing import Literal

from tbprof.model import Severity, SiteIndex
from tbprof.records import dataclass
from tbprof.views.findings import FindingRow, SavingView


@dataclass(frozen=True, slots=True)
class DeviceBar:
    """Together with the idle of all causes they are the step."""

    computing_us: float
    communication_us: float
    """Communication with no computing beside it; it may be waiting for another rank."""
    copying_us: float
    """Nothing but copying."""
    idle_us: float


@dataclass(frozen=True, slots=True)
class HostBar:
    launching_us: float
    waiting_us: float
    loading_us: float
    other_us: float


@dataclass(frozen=True, slots=True)
class PlaceRow:
    text: str
    because: str
    """The wait that let it happen, if another place than its own is to blame; else ""."""
    site: SiteIndex | None
    """The site to change: the one that drained the queue, else the one after which it was dry."""
    share_of_cause: float


@dataclass(frozen=True, slots=True)
class CauseRow:
    cause: str
    name: str
    idle_us: float
    share_of_step: float
    places: tuple[PlaceRow, ...]
    """Most idle first."""


@dataclass(frozen=True, slots=True)
class WayRow:
    """What can be done in place of an action, or after it for what it did not win."""

    text: str
    """What, where, and how much of that time."""
    findings: tuple[FindingRow, ...]
    saves: SavingView


@dataclass(frozen=True, slots=True)
class ActionRow:
    title: str
    """What to do, in the imperative; may hold `code`."""
    how: str
    """One sentence."""
    finding: FindingRow
    others: tuple[FindingRow, ...]
    """Findings of the same rule in other places, or waits that hide one another with it."""
    saves: SavingView
    """What a row of the fix plan adds to those above it; without an estimate its ceiling counts."""
    worth: str
    """What it saves, in words."""
    bounds: str
    """How sure that is, in words."""
    is_planned: bool
    """Whether the replay judges it, together with the other rows of the fix plan."""
    share: float
    """Share of a step, 0 to 1: its estimate, else its ceiling."""
    severity: Severity
    """The severity by that share alone."""
    ways: tuple[WayRow, ...]
    """Other changes that win back the same time."""


@dataclass(frozen=True, slots=True)
class SeverityRow:
    severity: Severity
    text: str
    """The share of a step from which a saving is of this class."""


@dataclass(frozen=True, slots=True)
class StepStack:
    """One step as what the GPU did, in the order of the causes of the window."""

    name: str
    cold: bool
    duration_us: float
    computing_us: float
    communication_us: float
    copying_us: float
    idle_us: tuple[float, ...]
    """One entry for each of the window's causes."""


@dataclass(frozen=True, slots=True)
class TrustRow:
    state: Literal["ok", "info", "warning", "error", "unknown"]
    title: str
    figure: str
    """"" if there is none."""
    detail: str


@dataclass(frozen=True, slots=True)
class CodeRow:
    kind: Literal["label", "module", "function"]
    name: str
    """"" for device work that was launched inside none."""
    host_us: float
    device_us: float
    share_of_device: float
    """Share of the time in which a device did something, 0 to 1."""
    launches: float
    count: int
    """How many parts that do the same it stands for; `name` is then theirs without the number."""


@dataclass(frozen=True, slots=True)
class GpuUseRow:
    """A figure of how full the GPU is."""

    title: str
    figure: str
    about: str
    """What it can and can't say."""


@dataclass(frozen=True, slots=True)
class OverviewView:
    nothing_to_fix: bool
    """The GPU is hardly ever idle, and no finding is worth a change."""
    steady_steps: int
    step_us: float | None
    """Null where the window has no steps."""
    unprofiled_step_us: float | None
    """Null where it is not known, or steps vary too much to compare it with the recorded ones."""
    headline: SavingView | None
    """What the first action saves; null where another recording comes before it."""
    records_first: bool
    """Whether another recording is to be made before any change."""
    speedup: float | None
    """The step over the step after the first action, by the estimate."""
    device: DeviceBar | None
    """Null where no device was recorded, or by a version that kept less."""
    host: HostBar | None
    causes: tuple[CauseRow, ...]
    """In the order in which they are stacked; causes that took nothing are left out."""
    saving: SavingView | None
    """What all rows of the fix plan save together, under the ceiling of all waits."""
    actions: tuple[ActionRow, ...]
    """Over all causes, most worth first; one site has the number of its first row on every screen."""
    severities: tuple[SeverityRow, ...]
    """What the signs of the actions mean, worst first."""
    smaller: str
    """What the rows of the fix plan add that are too small for an action; "" if nothing that shows."""
    next_limit: str
    """What limits a step once the plan is done; "" if there is none."""
    unknown: tuple[FindingRow, ...]
    """Findings of which nobody can say what they are worth."""
    leave: tuple[FindingRow, ...]
    """Real, and not worth it."""
    stacks: tuple[StepStack, ...]
    trust: tuple[TrustRow, ...]
    computing: str
    """Where the device's time goes, and how near to its limit; "" where no device was recorded."""
    gpu_use: tuple[GpuUseRow, ...]
    """None where no kernel was recorded, or by a version that kept less."""
    gpu_use_scope: str
    """The time that these figures are of."""
    code: tuple[CodeRow, ...]
