"""What a build can be failed for: lines that wait, counted, with a name that outlives edits.

Times are no part of it: they differ from machine to machine and from day to day. What only
a time can say is a warning; shares of a step count where somebody gives them a budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from tbprof.records import dataclass
from tbprof.texts.check_outcomes import how_often

SHARES = ("communication", "idle")
"""Parts of the GPU's steps that may have a budget: communication that no computing covers, and idle. A share
differs less from machine to machine than a time; whoever sets one knows the machine."""

NEW = "new"
"""The word for what the baseline lacks."""

RowState: TypeAlias = Literal["new", "more", "unseen", "accepted", "suppressed"]
"""`more`: in the baseline, but less often in a step; `unseen`: the baseline lacks it, and was made of
other steps than those in which this line runs; `suppressed`: by a comment beside the line."""

STATES: tuple[RowState, ...] = ("new", "more", "unseen", "accepted", "suppressed")
"""In the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding about a line, as one recording has it."""

    fingerprint: str
    rule: str
    kind: str
    """What the line does, in the words of preflight; "" where no such word fits the rule."""
    title: str
    fix: str
    file: str
    """"" where the place was not recorded."""
    line: int | None
    function: str
    code: str
    """The line itself; "" where it was not recorded."""
    ops: tuple[str, ...]
    """Innermost first."""
    per_step: int
    """Most often in one warm step; where nothing took a step, in the whole run."""
    is_in_every_step: bool
    """Whether no step that was looked at lacked it, as far as is known."""
    suppressed: str | None
    """The reason beside the line, maybe ""; None where it is not suppressed."""
    predicted: bool
    """Whether no GPU was used."""
    option: str = ""
    """The option of a framework that takes the line away, where it is the framework's own and one is
    known."""
    statement: str = ""
    """The line with those that it goes on in; "" where nobody joined them."""
    ran_in: int = 1
    """In how many of `of_steps`."""
    of_steps: int = 1
    """Warm steps of its recording; 0 where nothing took a step, 1 where only a mean step is known."""

    @property
    def shown_code(self) -> str:
        """For people."""
        return self.statement or self.code

    @property
    def often(self) -> str:
        """For people."""
        return how_often(self.per_step, ran_in=self.ran_in, of_steps=self.of_steps)

    @property
    def remedy(self) -> str:
        """What is to be done about this one, where `fix` is for all of its rule."""
        return self.option or self.fix


@dataclass(frozen=True, slots=True)
class Warned:
    """What rests on a time, or is about no line, and so fails no build."""

    rule: str
    severity: str
    text: str
    file: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a device's communication has computing beside it, in a mean step of a mean device."""

    covered_us: float = 0.0
    exposed_us: float = 0.0
    in_steps: bool = True
    """Whether the figures are those of a step; else of the window."""
    unknown: str = ""
    """Why it can't be judged, the end of a sentence; "" where it can be."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One window, or one run of preflight."""

    name: str
    predicted: bool
    sync_points: int
    """The sync points of the warm step that has most, without what is suppressed."""
    steps: int
    """How many warm steps were looked at for lines; 0 where nothing took a step."""
    found: tuple[Found, ...]
    warned: tuple[Warned, ...]
    shares: Mapping[str, float] = field(default_factory=dict)
    """Shares of the steps, in percent, by the words of `SHARES`; what was not recorded is left out."""
    overlap: Overlap = Overlap(unknown="no GPU was recorded")
    is_of_first_steps: bool = False
    """Whether the program began with its steps: then a line that runs each hundredth step is in them."""
    doubt: str = ""
    """Why nothing could be found, one sentence; "" where it could."""
    used_device: bool = True
    """Whether the program put anything on a GPU; without that no line could wait for one."""
    gap: str = ""
    """Why it can't be judged, or not all of it: it could not be read, or is cut off; "" where it can be."""
    unchecked: frozenset[str] = frozenset()
    """Rules that could not look, and families of which none could."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A line of a baseline: a finding that was there when somebody looked."""

    fingerprint: str
    rule: str
    file: str
    function: str
    code: str
    """The text of the line; "" where it was not recorded, as in a baseline of an earlier form."""
    per_step: int
    reason: str
    """Why it may stay; "" where nobody wrote one."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a project has accepted."""

    accepted: tuple[Accepted, ...]
    steps: int
    """Most warm steps of a recording that it was made of; 0 where that is not known."""
    is_former: bool
    """Whether an earlier tbprof wrote it, which did not tell lines of one function apart by their text."""
    is_of_first_steps: bool = True
    """Whether it was made of the first steps of a program, as preflight looks at them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many there may be in a step."""

    of: str
    """A rule, a family of rules, a kind, or one of `SHARES`; "" for sync points of all kinds."""
    allowed: int
    """The most that is allowed; for `SHARES` in percent of the steps."""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    of: str
    allowed: int
    found: float | None
    """Whole but for a share; None where no recording has the figure."""
    is_exceeded: bool
    worst: str
    """The recording of which it is `found`; "" where there is but one, or none has the figure."""
    unrecorded: tuple[str, ...]
    """Recordings that lack the figure."""
    text: str

    @property
    def fails(self) -> bool:
        return self.is_exceeded


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """The overlap of one recording, against what is asked of each."""

    recording: str
    asked: int
    """The least that computing has to cover of the communication, in percent."""
    found: float | None
    """None where it can't be judged, as the next two."""
    covered_us: float | None
    exposed_us: float | None
    is_missed: bool
    text: str

    @property
    def fails(self) -> bool:
        return self.is_missed


@dataclass(frozen=True, slots=True)
class CheckRow:
    found: Found
    state: RowState
    reason: str
    """The reason in the baseline or the comment; "" if there is none."""
    accepted_per_step: int | None
    """What the baseline has; None where it does not know the finding."""
    fails: bool
    """Whether the build fails for it."""


@dataclass(frozen=True, slots=True)
class CheckView:
    """The answer for all recordings together: a line that is in several is listed once."""

    passed: bool
    """Whether nothing fails the build, and all that was asked for could be judged."""
    recordings: tuple[str, ...]
    predicted: bool
    """Whether any of them was made without a GPU."""
    steps: int
    """Most warm steps of one of them; 0 where nothing took a step."""
    rows: tuple[CheckRow, ...]
    budgets: tuple[BudgetRow, ...]
    overlaps: tuple[OverlapRow, ...]
    """One for each recording without a gap; none where no overlap was asked for."""
    warned: tuple[Warned, ...]
    gone: tuple[Accepted, ...]
    """What the baseline has and nobody found any more."""
    is_former_baseline: bool
    is_of_first_steps: bool
    """Whether any of them looked at the first steps of a program."""
    doubts: tuple[str, ...]
    """A sentence for each recording in which nothing could be found."""
    unjudged_recordings: tuple[str, ...]
    """The recordings that could not be judged, or not wholly."""
    unjudged_words: tuple[str, ...]
    """What is forbidden and no recording could be checked for."""
    unjudged: tuple[str, ...]
    """A sentence for each of both."""

    used_device: bool
    """Whether any of them put anything on a GPU."""

    @property
    def gates(self) -> tuple[BudgetRow | OverlapRow, ...]:
        """What is about no line."""
        return (*self.budgets, *self.overlaps)

    @property
    def fails(self) -> bool:
        """Whether anything that was forbidden was found, a budget is exceeded, or too little overlaps."""
        return any(row.fails for row in (*self.rows, *self.gates))

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.fails:
            return "failed"
        return "passed" if self.passed and self.used_device else "not judged"
