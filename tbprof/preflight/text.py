"""A prediction as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tbprof.line_rules import LOOP_RULE
from tbprof.model import Source
from tbprof.preflight.document import LABEL
from tbprof.preflight.predicting import ONE_MASK
from tbprof.preflight.prediction import (
    ENDED_WELL,
    PredictedFinding,
    PredictedLoop,
    PredictedSite,
    Prediction,
)
from tbprof.texts.check_outcomes import how_often
from tbprof.texts.figures.quantities import count, first_few, size
from tbprof.texts.rule_pages import rule_text

KIND_NAMES = {
    "scalar_read": "scalar read",
    "control_flow": "control flow",
    "dynamic_shape": "dynamic shape",
    "host_read": "read to host",
    "upload": "upload",
    "synchronize": "explicit synchronize",
    "race": "race on a non_blocking read",
    "device_mismatch": "device mismatch: would raise on a GPU",
}

_MOST_LINES = 8
"""Lines that share a mask."""
_MOST_NAMED = 3
"""Lines that wait outside the steps only."""


def text(prediction: Prediction) -> str:
    """The findings, the worst first, then what was left out and how the program ended."""
    return "\n".join(_lines(prediction)) + "\n"


def _lines(prediction: Prediction) -> Iterator[str]:
    steps = _steps(prediction)
    yield f"{prediction.program or 'preflight'}: {LABEL} (torch {prediction.torch_version}, {steps})"
    for loop in prediction.loops:
        yield ""
        yield from _loop(loop)
    named = [finding for finding in prediction.findings if finding.suppressed is None]
    again = _lines_of_one_mask(named, prediction)
    shown = [finding for finding in named if not any(finding in found for found in again.values())]
    heads = [_head(finding, prediction) for finding in shown]
    for finding, head in zip(shown, heads, strict=True):
        yield ""
        # One line may read in two ways, such as `float(x.item() + y)`.
        yield head if heads.count(head) == 1 else f"{head}  by {prediction.sites[finding.site].call}"
        yield from _details(finding, prediction, again.get(finding.site, ()))
    yield ""
    yield _summary(prediction, len(named), len(shown))
    yield from (f"Note: {note}." for note in (*_step_notes(prediction), *prediction.notes))
    if prediction.error:
        yield f"The run ended early: {prediction.error}"


def _lines_of_one_mask(
    named: Sequence[PredictedFinding], prediction: Prediction
) -> dict[int, list[PredictedFinding]]:
    """The findings that are one with another, by the site of that: it names the mask first."""
    by_source = {prediction.sites[finding.site].source: finding.site for finding in reversed(named)}
    found: dict[int, list[PredictedFinding]] = {}
    for finding in named:
        for first in prediction.sites[finding.site].same_mask_as[:1]:
            site = by_source.get(first)
            if site is not None and not prediction.sites[site].same_mask_as:
                found.setdefault(site, []).append(finding)
    return found


def _loop(loop: PredictedLoop) -> Iterator[str]:
    source = loop.source
    where = f"{source.file}:{source.line} to {loop.last_line} in {source.function}"
    yield f"{where}  loop over items  [{LOOP_RULE}]"
    lines = f"lines {', '.join(map(str, loop.lines))}"
    yield f"    {loop.turns:,} turns a step, {loop.points_per_step:,} sync points: {lines} below are one loop"
    yield f"    {rule_text(LOOP_RULE).fix}"


def _steps(prediction: Prediction) -> str:
    if prediction.is_one_stretch:
        return "no step"
    return count(prediction.warm_steps, "step")


def _step_notes(prediction: Prediction) -> Iterator[str]:
    """What is to be known of the counts."""
    if prediction.is_one_stretch and prediction.ending in (*ENDED_WELL, "interrupted"):
        yield (
            "no optimizer step was seen: everything is counted as one stretch; "
            "--step-on package.module:function names what ends a step"
        )
    elif not prediction.is_one_stretch and not any(step.cold for step in prediction.steps):
        yield "set-up counts as part of the first step: no step came after the warm-up"


def _head(finding: PredictedFinding, prediction: Prediction) -> str:
    site = prediction.sites[finding.site]
    source = site.source
    return f"{source.file}:{source.line} in {source.function}  {KIND_NAMES[site.kind]}  [{finding.rule}]"


def _details(
    finding: PredictedFinding, prediction: Prediction, of_one_mask: Sequence[PredictedFinding]
) -> Iterator[str]:
    site = prediction.sites[finding.site]
    yield f"    {_facts(site, prediction)}"
    if site.called_at:
        yield f"    in {site.library}, called at {_places(site.called_at)}"
    if site.derivative_of:
        yield f"    by the derivative of {_places(site.derivative_of)}"
    if site.via is not None:
        yield f"    through {site.via.file}:{site.via.line} in {site.via.function}"
    if of_one_mask:
        sources = [prediction.sites[other.site].source for other in of_one_mask]
        places = [f"{'' if each.file == site.source.file else each.file}:{each.line}" for each in sources]
        yield f"    the same mask waits again at {first_few(places, _MOST_LINES)}"
    yield f"    {ONE_MASK if of_one_mask else finding.fix}"


def _places(sources: Sequence[Source]) -> str:
    return " and ".join(f"{source.file}:{source.line} in {source.function}" for source in sources)


def _facts(site: PredictedSite, prediction: Prediction) -> str:
    """How often, and what is known of the copy."""
    facts = [_how_often(site, prediction)]
    if site.direction and site.kind != "dynamic_shape":
        facts.append(f"{_sizes(site)} each")
    if site.memory:
        facts.append(site.memory)
    if site.non_blocking is not None:
        facts.append("non_blocking" if site.non_blocking else "blocking")
    if site.is_constant:
        facts.append("the same bytes each time")
    if site.made_by is not None:
        facts.append(f"made by {site.made_by}")
    return ", ".join(facts)


def _sizes(site: PredictedSite) -> str:
    """The sizes of one copy; of a dynamic shape there is none to tell, for what is read is the count of its
    rows.
    """
    least, most = size(site.least_bytes), size(site.most_bytes)
    return least if least == most else f"{least} to {most}"


def _how_often(site: PredictedSite, prediction: Prediction) -> str:
    """In a step, where there are steps; the set-up and the warm-up are no part of it."""
    often = how_often(site.per_warm_step, ran_in=site.ran_in, of_steps=prediction.warm_steps)
    before = sum(n for n, step in zip(site.per_step, prediction.steps, strict=True) if step.cold)
    cold = sum(step.cold for step in prediction.steps)
    return f"{often} ({count(before, 'time')} before)" if before > cold * site.per_warm_step else often


def _lines_outside(prediction: Prediction) -> list[str]:
    """The lines that wait, but in no warm step, once each."""
    with_finding = {finding.site for finding in prediction.findings}
    found = (site for at, site in enumerate(prediction.sites) if at not in with_finding and site.blocking)
    return list(dict.fromkeys(f"{site.source.file}:{site.source.line}" for site in found))


def _summary(prediction: Prediction, named: int, shown: int) -> str:
    suppressed = len(prediction.findings) - named
    others = _lines_outside(prediction)
    waits = prediction.syncs_per_step
    points = f"{waits} sync {'point' if waits == 1 else 'points'}"
    counted = f"{points} in all" if prediction.is_one_stretch else f"at most {points} in a step"
    findings = "1 finding" if shown == 1 else f"{shown} findings"
    parts = [f"{findings}, {counted}"]
    if suppressed:
        parts.append(f"{suppressed} suppressed")
    if others:
        waiting = count(len(others), "line waits", "lines wait")
        parts.append(f"{waiting} outside the steps only: {first_few(others, _MOST_NAMED)}")
    return "; ".join(parts) + "."
