"""What a run without a GPU predicts: frozen records, as they leave preflight.

Nothing here is a time: a machine without a GPU knows where it would be waited for, how often
and for how many bytes, and never for how long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tbprof.line_rules import LineKind, LineUse
from tbprof.model import Severity, Source
from tbprof.optable import Known

Ending: TypeAlias = Literal[
    "stopped", "finished", "out_of_time", "interrupted", "failed", "no_cpu_kernel", "not_supported"
]
"""`stopped`: by preflight, after the steps that were asked for; `finished`: before them;
`out_of_time`: by preflight, at the limit that was asked for; `interrupted`: by a signal."""

ENDED_WELL: tuple[Ending, ...] = ("stopped", "finished", "out_of_time")
"""What was found is what was asked for."""

WHOLE_RUN = "window"
"""The one step of a program in which nothing took a step, as of a trace without steps."""


@dataclass(frozen=True, slots=True)
class PredictedSite:
    """Copies, waits and faults of one kind at one line, counted together."""

    kind: LineKind
    source: Source
    """The innermost frame that is not torch's; always exact."""
    code: str
    """The text of its line, without its indent."""
    statement: str
    """The same with the lines that it goes on in."""
    library: str | None
    """The library that `source` is in; None for the user's own."""
    callers: tuple[Source, ...]
    """The frames around `source`, from the inside out; of a library's, up to the user's own."""
    called_at: tuple[Source, ...]
    """The user's lines that a library's line was called from, the most frequent first."""
    derivative_of: tuple[Source, ...]
    """The lines of the forward pass whose derivatives do it in the backward pass."""
    same_mask_as: tuple[Source, ...]
    """The lines that read the same mask before."""
    via: Source | None
    """The innermost frame of torch's own Python code between the line and the op."""
    call: str
    """What was called in Python, such as `item`, `__bool__` or `to`."""
    ops: tuple[str, ...]
    """Innermost first, as a trace of a GPU has them."""
    direction: str
    """`HtoD`, `DtoH`, or "" where nothing is copied."""
    memory: str
    """The memory of the host's side of a copy: `pageable`, `pinned`, or ""."""
    count: int
    blocking: int
    """How many of them would block the host."""
    per_step: tuple[int, ...]
    per_warm_step: int
    """Most often in one step that is not cold; where nothing took a step, in the whole run."""
    ran_in: int
    """In how many of the steps that are not cold."""
    bytes: int
    """The bytes of all of them together."""
    least_bytes: int
    """The bytes of the smallest of them."""
    most_bytes: int
    """The bytes of the largest."""
    non_blocking: bool | None
    """What the copy was asked for; None where it could not be asked."""
    constant: int
    """How many of the uploads brought bytes that this line had brought in an earlier step."""
    is_constant: bool
    """Whether it brought nothing new after its first step: proven by content."""
    made_by: str | None
    """What filled what was uploaded, such as `torch.zeros`; None where some was made otherwise."""
    known: Known
    """How it is known that a GPU would do this."""


@dataclass(frozen=True, slots=True)
class PredictedStep:
    """The events from the end of one optimizer step to the end of the next."""

    name: str
    cold: bool
    """The warm-up, and all that comes before the first optimizer step."""


@dataclass(frozen=True, slots=True)
class PredictedFinding:
    """What is wrong with one site."""

    rule: str
    severity: Severity
    """`high` for wrong results and errors, `low` for waits, `info` for reads that are needed."""
    site: int
    """Index into the prediction's sites."""
    steps: tuple[int, ...]
    every_step: bool
    """Whether it is in each step that is not cold; never where nothing took a step."""
    fix: str
    fingerprint: str
    """The fingerprint, made by the same function as for the findings of traces."""
    suppressed: str | None
    """The reason given beside the line, "" where none was; None where it is not suppressed."""


@dataclass(frozen=True, slots=True)
class PredictedLoop:
    """A loop in which several lines wait in each turn, or in most."""

    source: Source
    """Its first line."""
    last_line: int
    lines: tuple[int, ...]
    """The lines that wait."""
    turns: int
    """In the step with most of them, of all calls of its function together."""
    points_per_step: int
    findings: tuple[int, ...]
    """Indexes into the prediction's findings."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """All that one run predicts."""

    program: str
    torch_version: str
    ending: Ending
    error: str
    """One sentence where the program did not end well; else ""."""
    notes: tuple[str, ...]
    """What was run differently than on a GPU, one sentence each; first why nothing could be found."""
    used_device: bool
    """Whether the program put anything on a GPU: else nothing could be."""
    steps: tuple[PredictedStep, ...]
    sites: tuple[PredictedSite, ...]
    findings: tuple[PredictedFinding, ...]
    loops: tuple[PredictedLoop, ...] = ()

    @property
    def is_one_stretch(self) -> bool:
        """Whether nothing took a step, so that set-up, training and what follows count as one."""
        return self.steps[0].name == WHOLE_RUN

    @property
    def warm_steps(self) -> int:
        """How many steps are not cold; 0 where nothing took a step."""
        return 0 if self.is_one_stretch else sum(not step.cold for step in self.steps)

    @property
    def syncs_per_step(self) -> int:
        """How often the host would wait in the step that waits most, what is suppressed left out."""
        suppressed = {finding.site for finding in self.findings if finding.suppressed is not None}
        counted = [site for at, site in enumerate(self.sites) if site.blocking and at not in suppressed]
        warm = [at for at, step in enumerate(self.steps) if not step.cold]
        return max((sum(site.per_step[at] for site in counted) for at in warm), default=0)


def use_of(site: PredictedSite, *, is_one_stretch: bool) -> LineUse:
    """What the site does in a step; without steps there is no telling how often."""
    return LineUse(
        kind=site.kind,
        call=site.call,
        via="" if site.via is None else site.via.file,
        per_step=None if is_one_stretch else site.per_warm_step,
        nbytes=site.bytes // site.count,
        is_pinned=site.memory == "pinned",
        is_constant=site.is_constant,
        is_made_there=site.made_by is not None,
    )
