"""What must hold of the first sentences of every report, whatever was recorded.

- A saving that is named would show as a difference: at least 1 % of the step, unless it is a bound.
- Two durations that are set against each other read differently.
- Sync points are not called innocent beside a finding about waits or copies of at least medium.
- The device's parts add up to the step.
- Every number in a sentence is one of the verdict's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tbprof.judge.words import verdict_sentences
from tbprof.model import SEVERITIES, Report, Verdict
from tbprof.texts.figures.places import place_words
from tbprof.texts.figures.quantities import count, duration, share

_NUMBER = re.compile(r"<?\d[\d,.]*(?:\u202f(?:%|ms|s|µs))?")
_INSTEAD = re.compile(r"about (\S+) instead of (\S+?)[.;]?(?:\s|$)")
_SHORTER = re.compile(r"about (\S+) shorter")
_INNOCENT = "No sync point is worth removing"


def problems_of(report: Report) -> list[str]:
    """What is wrong with what a report says first; empty if nothing is."""
    verdict = report.verdict
    assert verdict is not None
    first, second = verdict_sentences(verdict)
    said = f"{first} {second}".strip()
    if not first:
        return [f"{verdict.case} says nothing"]
    if verdict.case in (
        "no_device",
        "on_cpu",
        "unseen_device",
        "only_allocations",
        "cut_off",
        "lost_kernels",
        "other_device",
        "capture",
    ):
        return []
    return [f"{problem}: {said}" for problem in _problems(report, verdict, said)]


def _problems(report: Report, verdict: Verdict, said: str) -> Iterator[str]:
    medium = SEVERITIES.index("medium")
    about_waits = [
        found.rule
        for found in report.findings
        if found.rule.startswith(("SYN", "CPY")) and SEVERITIES.index(found.severity) <= medium
    ]
    if _INNOCENT in said and about_waits:
        yield f"denies {about_waits}"
    if "No line" in said or "nothing can be won" in said:
        yield "denies what it can't know"
    for then, now in _INSTEAD.findall(said):
        if then == now:
            yield "two times that read alike"
    if _SHORTER.search(said) and not _is_worth(verdict):
        yield "names a saving that would not show"
    shares = ("idle_share", "computing_share", "communication_share", "copying_share")
    total = sum(float(verdict.numbers()[name]) for name in shares)
    if abs(total - 1) > 0.001 and float(verdict.numbers()["steps_us"]) > 0:
        yield f"parts of {total:.3f}"
    known = _known(verdict)
    for number in _NUMBER.findall(_without_names(verdict, said)):
        if number.rstrip(".,") not in known:
            yield f"{number} is none of the verdict's numbers"


def _is_worth(verdict: Verdict) -> bool:
    numbers = verdict.numbers()
    savings = [float(numbers[name]) for name in ("gain_us", "estimate_us") if name in numbers]
    return max(savings, default=0.0) >= 0.01 * float(numbers["steps_us"])


def _without_names(verdict: Verdict, said: str) -> str:
    """Names of places, ops and calls hold digits of their own."""
    values = [value for value in verdict.numbers().values() if isinstance(value, str) and value]
    names = [*values, *map(place_words, values)]
    for name in sorted(names, key=len, reverse=True):
        said = said.replace(name, "")
    return said


def _known(verdict: Verdict) -> set[str]:
    """All that the numbers can read as: times of the window and of a step, shares of the steps, counts."""
    numbers = {name: value for name, value in verdict.numbers().items() if not isinstance(value, str)}
    steps, total_us = float(numbers["steps"]) or 1.0, float(numbers["steps_us"]) or 1.0
    step_us, all_steps = total_us / steps, float(numbers["all_steps"]) or 1.0
    times = {name: float(value) for name, value in numbers.items() if name.endswith("_us")}
    savings = [times[name] for name in ("gain_us", "estimate_us") if name in times]
    known = {duration(us) for us in times.values()} | {duration(us / steps) for us in times.values()}
    known |= {duration(us / all_steps) for us in times.values()}
    known |= {duration(total_us - us) for us in savings}
    known |= {duration(step_us - us / all_steps) for us in savings}
    known |= {share(float(value)) for name, value in numbers.items() if name.endswith("_share")}
    known |= {share(times["cause_us"] / total_us)} if "cause_us" in times else set()
    idle = [numbers[name] for name in ("idle_share", "typical_idle_share") if name in numbers]
    known |= {share(1 - float(part)) for part in idle}
    return known | {count(int(value), "x").partition(" ")[0] for value in numbers.values()}
