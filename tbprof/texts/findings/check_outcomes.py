"""What became of a rule in a window, in words: the evidence, the reason, or what to record."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tbprof.model import HOST_CALLS, Check, Finding
from tbprof.records import dataclass
from tbprof.rules.declared import declared_rule
from tbprof.rules.files import rule_files
from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.figures.scopes import Scope

if TYPE_CHECKING:
    from tbprof.rules.base.rule import Rule

FAMILY_NAMES = {
    "SYN": "Waits for the GPU",
    "CPY": "Copies",
    "DAT": "Input pipeline",
    "LCH": "Launches",
    "FUS": "Fused ops",
    "OPT": "Optimizer",
    "PRC": "Precision",
    "CMP": "Compilation",
    "DST": "Communication",
    "MEM": "Memory",
    "INF": "Inference",
    "SHR": "Shared device",
    "ENV": "Settings",
    "TRC": "The recording itself",
    "DEV": "What only a GPU refuses",
}
"""By the letters of their codes, in the order of the families."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a window has to be recorded with, and the code that does it."""

    what: str
    """Completes "checked by"."""
    code: str


_HOOK = 'with TrainerHook("logs/run1") as hook:\n    for batch in loader:\n        train_step(batch)\n'

RECORDINGS = {
    HOST_CALLS: Recording("a window with the calls of the host", "tbprof run train.py"),
    "complete GPU work": Recording("a window recorded on a GPU", "tbprof run train.py"),
    "steps": Recording("a window with its steps marked", f"{_HOOK}        hook.step()"),
    "three steps": Recording("a window of three steps or more", "tbprof run --active 5 train.py"),
    "ten requests": Recording(
        "a window of ten requests, each a step", 'with hook.phase("inference"):\n    hook.step()'
    ),
    "facts of the hook": Recording("a window of the hook", "tbprof run train.py"),
    "four steps": Recording("a window of four steps or more", "tbprof run --active 5 train.py"),
    "blocks per SM": Recording("a window on CUDA", "tbprof run train.py"),
    "other processes of the device": Recording("a window of the hook on CUDA", "tbprof run train.py"),
    "shapes": Recording("one window with shapes", "tbprof run --record-shapes train.py"),
    "Python frames": Recording("one window with call stacks", "tbprof run --with-stack train.py"),
    "memory events": Recording("one window with memory", "tbprof run --profile-memory train.py"),
    "memory events of a GPU": Recording(
        "one window with memory, on a GPU", "tbprof run --profile-memory train.py"
    ),
    "calls of a data loader": Recording(
        "a window of the hook, or with torch's DataLoader", "tbprof run train.py"
    ),
}
"""By what a rule needs."""


def recording_of(need: str) -> Recording:
    """What makes a rule with this need checkable; one of another version names the need itself."""
    return RECORDINGS.get(need, Recording(f"a window with {need}", ""))


def passed_sentence(check: Check, scope: Scope) -> str:
    """What a rule looked at that found nothing; "" where another version kept other figures."""
    rule = _rule_of(check.rule)
    try:
        return "" if rule is None else rule.passing.note(check.numbers, scope)
    except (KeyError, ValueError):
        return ""


def no_saving_sentence(finding: Finding) -> str:
    """Why a finding has no figure; "" where it has one."""
    if finding.saving is not None:
        return ""
    rule = _rule_of(finding.rule)
    reason = "" if rule is None else rule.no_saving
    return f"No saving can be given: {reason or 'it is counted with another check'}."


PREDICTED_SAVING = "No saving can be given: only a recording on a GPU tells how long."
"""Of a check that would fail on one."""


def predicted_sentence(place: str, why: str) -> str:
    """What the first line does for which a check would fail on a GPU."""
    return f"{place}: {why}."


def other_places_sentence(others: int) -> str:
    """Beside the evidence of the place that is worth most."""
    return f"And {count(others, 'more place')}."


def points_sentence(points: int, waited_us: float) -> str:
    """How often the host waited at the sites of a finding that has no figures of its own."""
    return f"{count(points, 'sync point')}, waiting {duration(waited_us)} in the window."


@dataclass(frozen=True, slots=True)
class CheckCounts:
    failed: int
    """Those that are worth a change."""
    predicted: int
    """Those that would fail on a GPU, where none was recorded."""
    lines: int
    """Of the program, for which they would."""
    harmless: int
    """Those that found something, and no change is worth it."""
    passed: int
    not_checked: int


def checks_sentence(counts: CheckCounts, worth: float | None, scope: Scope) -> str:
    """What a reader wants to know first; `worth` is the largest saving as a share, 0 to 1."""
    lost = f"{count(counts.failed, 'check')} failed" if counts.failed else "No check failed"
    if counts.failed and worth is not None and worth > 0:
        lost = f"{lost}, the costliest worth up to {share(worth)} of {scope.name}"
    verb = "is" if counts.harmless == 1 else "are"
    harmless = f" {counts.harmless:,} {verb} worth no change," if counts.harmless else ""
    lines = count(counts.lines, "line")
    predicted = f" {counts.predicted:,} would fail on a GPU, for {lines};" if counts.predicted else ""
    return (
        f"{lost};{predicted}{harmless} {counts.passed:,} passed, {counts.not_checked:,} could not be checked."
    )


@cache
def _rule_of(code: str) -> Rule | None:
    """Only the rules that are shown are imported."""
    file = next((file for file in rule_files() if file.code == code), None)
    return None if file is None else declared_rule(file)
