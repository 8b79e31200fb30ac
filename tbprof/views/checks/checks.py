"""What the page Checks shows. Savings are those of the window."""

from __future__ import annotations

from typing import Literal

from tbprof.records import dataclass
from tbprof.texts.findings.guides import GuideLink
from tbprof.views.findings.findings import SavingView


@dataclass(frozen=True, slots=True)
class CheckRow:
    rule: str
    name: str
    title: str
    """What is the case where it fails."""
    family: str
    """In words, such as `Input pipeline`."""
    state: Literal["passed", "failed", "predicted", "not_checked", "not_applicable"]
    """`predicted`: no GPU was recorded, and lines were seen for which it would fail on one."""
    severity: Literal["critical", "high", "medium", "low", "info"] | None
    """Of a failed one."""
    said: str
    """The evidence in a sentence: what was found, what was looked at, or why nobody could look."""
    action: str
    """Of a failed or predicted one what to do, in the imperative."""
    findings: int
    """How many it has; of a predicted one how many lines."""
    saving: SavingView | None
    """Of a step: of all places together, or of the worst where they are sites, which can hide one another."""
    no_saving: str
    """Why a failed or predicted one has none; "" if it has."""
    sites: tuple[int, ...]
    """Of its worst finding."""
    guides: tuple[GuideLink, ...]
    """Of a failed or predicted one the guides that advise what it checks."""


@dataclass(frozen=True, slots=True)
class MissingRecording:
    """What to record so that some rules can look."""

    what: str
    code: str
    """To be copied; "" if there is none."""
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChecksView:
    sentence: str
    rows: tuple[CheckRow, ...]
    """Failed ones first, by worth, then predicted ones; of equal ones by family and code."""
    marks_steps: bool
    """Whether savings are those of a step; else of the window."""
    missing: tuple[MissingRecording, ...]
    """What makes most rules checkable first; a rule with two needs is listed under each."""
