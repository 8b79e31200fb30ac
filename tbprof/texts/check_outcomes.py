"""What became of a rule in a window, in words: the evidence, the reason, or what to record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tbprof.model import HOST_CALLS, Check, Finding, Scope
from tbprof.records import dataclass
from tbprof.rules.declared import rule_of
from tbprof.texts.figures.quantities import count, duration, first_few, share

if TYPE_CHECKING:
    pass


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
"""Names by the letters of the codes, in the order of the families."""


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
    "operators of the threads that launch": Recording(
        "a window with ProfilerActivity.CPU, of the threads that launch", "tbprof run train.py"
    ),
    "calls of a data loader": Recording(
        "a window of the hook, or with torch's DataLoader", "tbprof run train.py"
    ),
    "collections of garbage": Recording("a window of the hook", "tbprof run train.py"),
}
"""Recordings by what a rule needs."""


def recording_of(need: str) -> Recording:
    """What makes a rule with this need checkable; one of another version names the need itself."""
    return RECORDINGS.get(need, Recording(f"a window with {need}", ""))


def passed_sentence(check: Check, scope: Scope) -> str:
    """What a rule looked at that found nothing; "" where that was not stored."""
    return "" if check.figures is None else check.figures.sentence(scope)


def no_saving_sentence(finding: Finding) -> str:
    """Why a finding has no figure; "" where it has one."""
    if finding.saving is not None:
        return ""
    rule = rule_of(finding.rule)
    reason = "" if rule is None else rule.no_saving
    return f"No saving can be given: {reason or 'it is counted with another check'}."


PREDICTED_SAVING = "No saving can be given: only a recording on a GPU tells how long."
"""A word on a check that would fail on a GPU."""


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
    """The number of checks that are worth a change."""
    predicted: int
    """The number of checks that would fail on a GPU, where none was recorded."""
    lines: int
    """The number of lines of the program for which they would."""
    harmless: int
    """The number of checks that found something, and no change is worth it."""
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


_MOST_NAMED = 3


def how_often(times: int, *, ran_in: int, of_steps: int) -> str:
    """`2 a step`, `1 in 1 of 3 steps`, `2 each in 2 of 3 steps`, or `7 in all` where nothing took a step.

    Args:
        times: Most in one step; without steps, in the whole run.
        ran_in: In how many of the steps that were looked at.
        of_steps: All of those; 0 where nothing took a step.
    """
    if of_steps == 0:
        return f"{times:,} in all"
    if ran_in == of_steps:
        return f"{times:,} a step"
    return f"{times:,} {'each ' if ran_in > 1 else ''}in {ran_in:,} of {count(of_steps, 'step')}"


def found_sentence(title: str, fix: str, often: str, *, predicted: bool) -> str:
    """What is the case, how often in the words of `how_often`, and how it is fixed."""
    proof = " (predicted, no GPU was used)" if predicted else ""
    return f"{title}: {often}{proof}. {fix}".rstrip()


def warned_sentence(title: str, place: str, reason: str) -> str:
    """What is the case; `place` is "" where it is about the whole window."""
    return f"{title}{f' in {place}' if place else ''} ({reason})"


def budget_sentence(
    found: float | None,
    of: str,
    allowed: int,
    *,
    has_steps: bool,
    is_share: bool = False,
    worst: str = "",
    unrecorded: Sequence[str] = (),
) -> str:
    """What there is of something in a step; `of` is "" for sync points of all kinds.

    `found` is None where none of the recordings has the figure, else that of `worst`, which is "" where there
    is no other; `unrecorded` are those that lack it.
    """
    lacked = "recorded" if is_share else "checked"
    lacking = f"{of} was not {lacked} in {first_few(unrecorded, _MOST_NAMED)}" if unrecorded else ""
    if found is None:
        return f"{lacking}: the budget can't be judged"
    whose = f" of {worst}" if worst else ""
    if is_share:
        said = f"{found:.1f} % {of} of the steps{whose}, {allowed:,} % allowed"
    else:
        said = f"{found:,} {of or 'sync points'} {_counted(has_steps)}{whose}, {allowed:,} allowed"
    return f"{said}; {lacking}" if lacking else said


def overlap_sentence(
    name: str,
    found: float | None,
    asked: int,
    *,
    covered_us: float,
    exposed_us: float,
    in_steps: bool,
    unknown: str,
) -> str:
    """How much of the communication of a window computing covers; `found` is None where `unknown` says why
    nobody knows.
    """
    if found is None:
        return f"{name}: the overlap can't be judged: {unknown}"
    return (
        f"{name}: computing covers {_floor(found, asked)} % of the communication, {asked} % asked: of "
        f"{'a step' if in_steps else 'the window'} {duration(covered_us)} are covered and "
        f"{duration(exposed_us)} exposed"
    )


def _floor(found: float, asked: int) -> str:
    """What misses its goal is not rounded up to it."""
    return f"{found if found >= asked else min(found, asked - 0.1):.1f}"


def failure_sum(forbidden: int, over_budget: Sequence[str], too_exposed: int) -> str:
    """What fails the build, in a few words: so many findings, what is over its budget, and in how many
    windows too little overlaps.
    """
    is_one = "is" if forbidden == 1 else "are"
    found = [f"{count(forbidden, 'finding')} {is_one} forbidden"] if forbidden else []
    over = [f"over the budget of {' and '.join(over_budget)}"] if over_budget else []
    exposed = [f"too little overlap in {count(too_exposed, 'window')}"] if too_exposed else []
    return ", ".join([*found, *over, *exposed])


def unchecked_sentence(word: str) -> str:
    """A sentence on a rule, or a family of them, that is forbidden."""
    return f"{word} is forbidden, and no window could be checked for it"


def unjudged_sum(windows: int, of: int, words: Sequence[str]) -> str:
    """What could not be judged, in a few words: of all windows so many, and each of `words`."""
    counted = [f"{windows:,} of {count(of, 'window')}"] if windows else []
    return f"{' and '.join([*counted, *words])} could not be judged"


def _counted(has_steps: bool) -> str:
    """Where nothing took a step, nothing is said of one."""
    return "in a step" if has_steps else "in the whole run"
