"""What the rules answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tbprof.model.figures import Figures, Remedy
from tbprof.model.sites import EventRow, FindingIndex, SiteIndex, StepIndex
from tbprof.records import dataclass

Severity: TypeAlias = Literal["critical", "high", "medium", "low", "info"]

Removal: TypeAlias = Literal["drop", "defer", "hoist", "rewrite", "needed"]
"""What a fix does: the call goes, its value is read later, its line leaves the step, other calls do its work,
or nothing can be won."""

REPLAYED: tuple[Removal, ...] = ("drop", "defer", "hoist")
"""What a replay can tell: the wait goes, for `hoist` with all of its line, and nothing comes in its place."""

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
"""Worst first."""

CRITICAL_SHARE = 0.10
"""Shares of a median warm step, as the ones below."""
HIGH_SHARE = 0.03
MEDIUM_SHARE = 0.01

BOUND_SHARE = 0.05
"""The share of the steps from which a cause of idle is worth a sentence; xprof calls an input pipeline
"moderate" from here on."""


def severity_of_share(share: float) -> Severity:
    """The class of a saving that is this share (0 to 1) of a step; they are those of xprof's step times."""
    if share >= CRITICAL_SHARE:
        return "critical"
    if share >= HIGH_SHARE:
        return "high"
    return "medium" if share >= MEDIUM_SHARE else "low"


@dataclass(frozen=True, slots=True)
class Evidence:
    kind: str
    start_ns: int
    duration_ns: int
    step: StepIndex | None
    row: EventRow


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's answer: figures and evidence, with a sentence for the figures alone."""

    rule: str
    severity: Severity
    sites: tuple[SiteIndex, ...]
    steps: tuple[StepIndex, ...]
    count: int
    removal: Removal
    saving: Saving | None
    """None where it cannot be known, or is another finding's."""
    confidence: Literal["high", "medium", "low"]
    evidence: tuple[Evidence, ...]
    figures: Figures
    fingerprint: str
    remedy: Remedy = Remedy()

    def numbers(self) -> dict[str, int | float | str]:
        """Its figures and its remedy by name, as they are stored and printed."""
        return {**self.figures.numbers(), **self.remedy.numbers()}


@dataclass(frozen=True, slots=True)
class PlanRow:
    finding: FindingIndex
    adds_ns: int
    total_ns: int
    ceiling_ns: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The one thing to say of a window first."""

    case: str
    figures: Figures

    def numbers(self) -> dict[str, int | float | str]:
        """Its figures by name, as they are stored and printed."""
        return self.figures.numbers()


HOST_CALLS = "calls of the host"
"""The need of all rules that judge what the host does."""
GPU_RATES = "rates of this GPU"
"""The need of rules that compare with the data sheet: no recording has it, only a table of devices."""


@dataclass(frozen=True, slots=True)
class NotChecked:
    rule: str
    needs: str
    """Completes "no ... recorded", but for `GPU_RATES`."""


@dataclass(frozen=True, slots=True)
class FailedRule:
    rule: str
    error: str


CheckState: TypeAlias = Literal["passed", "failed", "not_checked", "not_applicable"]
"""The last one: the window holds nothing that the rule judges."""


@dataclass(frozen=True, slots=True)
class Check:
    rule: str
    state: CheckState
    finding: FindingIndex | None = None
    """The worst of a failed one."""
    needs: tuple[str, ...] = ()
    """What was not recorded, for one that was not checked; none where the rule itself broke."""
    figures: Figures | None = None
    """What the rule of a passed one looked at."""

    def numbers(self) -> dict[str, int | float | str]:
        """Its figures by name, as they are stored and printed."""
        return {} if self.figures is None else self.figures.numbers()


MAX_REPLAY_ERROR = 0.05
"""A replay further off its own window than this gives no estimate."""


@dataclass(frozen=True, slots=True)
class Saving:
    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int

    def at_most(self, most_ns: int) -> Saving:
        """The same, none of the three above this."""
        if self.ceiling_ns <= most_ns:
            return self
        estimate_ns = None if self.estimate_ns is None else min(self.estimate_ns, most_ns)
        return Saving(min(self.floor_ns, most_ns), estimate_ns, most_ns)


@dataclass(frozen=True, slots=True)
class Savings:
    """What the whole window could win: three figures without its waits, and one by whatever was found."""

    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int
    calibrated: bool
    replay_error: float | None
    all_ceiling_ns: int | None = None
    """At most so much by all actions together; what the device computes at its reachable rate stays."""


@dataclass(frozen=True, slots=True)
class Way:
    """Another change that wins back the time of an action."""

    findings: tuple[FindingIndex, ...]
    saving: Saving
    """In the window, where it is made and the action is not."""


@dataclass(frozen=True, slots=True)
class Action:
    """A change to make: what one finding asks for, or several that are one change."""

    findings: tuple[FindingIndex, ...]
    """Several where one rule found the same in several places, or where waits hide one another."""
    saving: Saving
    """In the window, of all of them; after those above it, at most what they leave."""
    total_ns: int | None
    """What it and the rows of the plan above it save together; None where it is no row of the plan."""
    ways: tuple[Way, ...] = ()
    """Each wins back time that this one wins; what they save is not added to it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Every finding is in one of these, but those whose waits the plan has in rows of their own."""

    actions: tuple[Action, ...]
    """Most worth first."""
    smaller: tuple[Action, ...]
    """Rows of the fix plan that are too small for an action; what they find is in `leave`."""
    unknown: tuple[FindingIndex, ...]
    """Findings of which nobody can say what they are worth, as they come in the report."""
    leave: tuple[FindingIndex, ...]
    """Findings that are real and not worth a change."""


Numbers: TypeAlias = Mapping[str, int | float | str]
