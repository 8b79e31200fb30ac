"""What was recorded, as a prediction: sites, findings, loops, their order and their names."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import TypeAlias

import torch

from tbprof.framework_options import option_at
from tbprof.line_rules import LINE_KINDS, LOOP_READS, rule_of
from tbprof.model import Severity, disambiguated, fingerprint, joined_statement, suppression
from tbprof.preflight.needed import why_needed
from tbprof.preflight.prediction import (
    ENDED_WELL,
    WHOLE_RUN,
    Ending,
    PredictedFinding,
    PredictedLoop,
    PredictedSite,
    PredictedStep,
    Prediction,
    use_of,
)
from tbprof.preflight.watching.recording import Recorder, Tally
from tbprof.texts.rule_pages import rule_text

_FAULTS = ("race", "device_mismatch")
"""What is wrong wherever it happens; the rest matters in steps."""
_COULD_USE_IT = (*ENDED_WELL, "interrupted")
_WITHOUT_LOADER = (
    "Keep on the device what does not change. Copy the rest with `non_blocking=True` from pinned memory that "
    "is made once, from two tensors in turn: what is still being copied must not be written."
)
"""What to do about a pageable upload in a program that has no DataLoader to pin its batches."""
_GRADIENT = (
    "A gradient is copied back the way that its tensor came: compute where the tensor is, or detach it first "
    "if nothing is to be learned from it."
)
ONE_MASK = "Index by `rows = mask.nonzero(as_tuple=True)`, made once, in each of these lines."
_ON_THE_CPU = (
    "the program put nothing on a GPU, so that no line could wait for one: let it choose its device as it "
    "does where there is one, without use_cpu=True, accelerator='cpu' or the like"
)


def predict(
    recorder: Recorder, *, program: str, warmup: int, taken: int, ending: Ending, error: str
) -> Prediction:
    """All that a run predicts; without any step, the whole run is one."""
    steps = _steps(taken, warmup)
    tallies = sorted(recorder.tallies.values(), key=_place)
    sites = tuple(_site(tally, steps) for tally in tallies)
    files = [tally.origin.file for tally in tallies]
    findings = _findings(sites, files, steps, has_loader=recorder.used_loader)
    return Prediction(
        program=program,
        torch_version=str(torch.__version__),
        ending=ending,
        error=error,
        # Of a program that failed, its error says why.
        notes=(
            *((_ON_THE_CPU,) if not recorder.used_device and ending in _COULD_USE_IT else ()),
            *recorder.notes,
        ),
        used_device=recorder.used_device,
        steps=steps,
        sites=sites,
        findings=findings,
        # Without steps each loop over batches would look like one.
        loops=() if taken == 0 else loops_of(tallies, sites, findings),
    )


def _steps(taken: int, warmup: int) -> tuple[PredictedStep, ...]:
    if taken == 0:
        return (PredictedStep(WHOLE_RUN, cold=False),)
    # Where nothing came after the warm-up, all that there is counts.
    cold = warmup if taken > warmup else 0
    return tuple(PredictedStep(f"step {index + 1}", cold=index < cold) for index in range(taken))


def _place(tally: Tally) -> tuple[str, int, int]:
    return tally.origin.source.file, tally.origin.source.line or 0, tally.order


def _site(tally: Tally, steps: Sequence[PredictedStep]) -> PredictedSite:
    event, count = tally.event, sum(tally.per_step.values())
    line = tally.origin.source.line or 0
    per_step = tuple(tally.per_step[step] for step in range(len(steps)))
    warm = [times for times, step in zip(per_step, steps, strict=True) if not step.cold]
    return PredictedSite(
        kind=event.kind,
        source=tally.origin.source,
        code=linecache.getline(tally.origin.file, line).strip(),
        statement=joined_statement(linecache.getlines(tally.origin.file)[max(line - 1, 0) :]) if line else "",
        library=tally.origin.library,
        callers=tally.origin.callers,
        called_at=tuple(source for source, _ in tally.called_at.most_common()),
        derivative_of=tuple(source for source, _ in tally.derivative_of.most_common()),
        same_mask_as=tuple(source for source in tally.same_mask_as if source != tally.origin.source),
        via=tally.origin.via,
        call=event.call,
        ops=event.ops,
        direction=event.direction,
        memory=event.memory,
        count=count,
        blocking=count if event.blocking else 0,
        per_step=per_step,
        per_warm_step=max(warm, default=0),
        ran_in=sum(1 for times in warm if times),
        bytes=tally.bytes,
        least_bytes=tally.least_bytes or 0,
        most_bytes=tally.most_bytes,
        non_blocking=event.non_blocking,
        constant=tally.hashed - len(tally.contents),
        is_constant=_is_constant(tally),
        made_by=_makers(tally.makers),
        known=event.known,
    )


def _makers(makers: Set[str | None]) -> str | None:
    """The factories by name; None where something was made otherwise."""
    known = sorted(name for name in makers if name is not None)
    return " and ".join(known) if known and len(known) == len(makers) else None


def _is_constant(tally: Tally) -> bool:
    """Whether nothing new was uploaded after the first step that uploaded at all."""
    if tally.hashed < sum(tally.per_step.values()) or len(tally.per_step) < 2:
        return False
    return len(tally.contents) <= tally.per_step[min(tally.per_step)]


def _findings(
    sites: Sequence[PredictedSite],
    files: Sequence[str],
    steps: Sequence[PredictedStep],
    *,
    has_loader: bool,
) -> tuple[PredictedFinding, ...]:
    """The worst first; their fingerprints are made in the order of their lines."""
    chosen = [index for index, site in enumerate(sites) if _matters(site)]
    is_one_stretch = steps[0].name == WHOLE_RUN
    rules = [rule_of(use_of(sites[index], is_one_stretch=is_one_stretch)) for index in chosen]
    names = disambiguated(_fingerprint(rule, sites[index]) for rule, index in zip(rules, chosen, strict=True))
    warm = 0 if is_one_stretch else sum(not step.cold for step in steps)
    needed = [why_needed(sites[index], files[index], warm) for index in chosen]
    found = [
        _finding(
            sites[index], index, rule, name, steps, why or _fix(sites[index], rule, has_loader=has_loader)
        )
        for rule, index, name, why in zip(rules, chosen, names, needed, strict=True)
    ]
    found = [replace(each, severity="info") if why else each for each, why in zip(found, needed, strict=True)]
    return tuple(sorted(found, key=lambda finding: _rank(finding, sites[finding.site])))


def _fingerprint(rule: str, site: PredictedSite) -> str:
    return fingerprint(rule, site.source.file, site.source.function, site.ops, site.code)


def _matters(site: PredictedSite) -> bool:
    return site.kind in _FAULTS or (site.blocking > 0 and site.per_warm_step > 0)


def _finding(
    site: PredictedSite, index: int, rule: str, name: str, steps: Sequence[PredictedStep], fix: str
) -> PredictedFinding:
    warm = [at for at, step in enumerate(steps) if not step.cold]
    severity: Severity = "high" if site.kind in _FAULTS else "low"
    return PredictedFinding(
        rule=rule,
        severity=severity,
        site=index,
        steps=tuple(at for at, count in enumerate(site.per_step) if count),
        every_step=steps[0].name != WHOLE_RUN and all(site.per_step[at] for at in warm),
        fix=fix,
        fingerprint=name,
        suppressed=suppression(site.code, rule),
    )


def _fix(site: PredictedSite, rule: str, *, has_loader: bool) -> str:
    """What another line shares, or the option of a framework whose line it is, else what the rule says."""
    for first in site.same_mask_as[:1]:
        return f"The mask is that of {first.file}:{first.line}. {ONE_MASK}"
    is_upload = site.direction == "HtoD"
    for frame in (site.source, site.via):
        option = frame and option_at(frame.file, frame.function, site.ops, is_upload=is_upload)
        if option:
            return option.fix
    if site.derivative_of and site.kind in ("upload", "host_read"):
        return _GRADIENT
    return _WITHOUT_LOADER if rule == "CPY01" and not has_loader else rule_text(rule).fix


def _rank(finding: PredictedFinding, site: PredictedSite) -> tuple[int, bool, int, int]:
    rank = LINE_KINDS.index(site.kind)
    return ("high", "low", "info").index(finding.severity), not finding.every_step, -site.per_warm_step, rank


_LEAST_LINES = 2
"""A single line in a loop says itself how often it waits."""

_Span: TypeAlias = tuple[int, int]

_LOOPS = (
    *(ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def loops_of(
    tallies: Sequence[Tally], sites: Sequence[PredictedSite], findings: Sequence[PredictedFinding]
) -> tuple[PredictedLoop, ...]:
    """The loops whose lines would wait again and again in a step, most turns first.

    All lines of one are one thing to change. A loop is what the program's own text says, the innermost one
    around a line; a comprehension is one, too. The loop over the steps themselves is none: most of what
    waits in its turns waits once in a step. Lines that are named for what torch's own code does, as a
    backward pass, wait as often as that, and not as their loop turns.

    Args:
        tallies: One a site.
        sites: Those of the prediction.
        findings: About these sites.
    """
    found: dict[tuple[str, _Span, str], list[int]] = {}
    for at, finding in enumerate(findings):
        tally, site = tallies[finding.site], sites[finding.site]
        line = tally.origin.source.line
        if line is None or not site.blocking or site.via is not None:
            continue
        if site.per_warm_step and (span := _innermost(tally.origin.file, line)) is not None:
            found.setdefault((tally.origin.file, span, site.source.function), []).append(at)
    again = {
        place: mine
        for place, mine in found.items()
        if all(sites[findings[at].site].per_warm_step > 1 for at in mine)
    }
    loops = [_loop(span, mine, sites, findings) for (_, span, _), mine in again.items()]
    together = (loop for loop in loops if len(loop.lines) >= _LEAST_LINES and loop.turns >= LOOP_READS)
    return tuple(sorted(together, key=lambda loop: (-loop.turns, loop.source.file, loop.source.line or 0)))


def _loop(
    span: _Span, mine: list[int], sites: Sequence[PredictedSite], findings: Sequence[PredictedFinding]
) -> PredictedLoop:
    inside = [sites[findings[at].site] for at in mine]
    lines = sorted({site.source.line for site in inside if site.source.line is not None})
    # Of a turn that waits twice at a line, others tell how often it is made; a branch is not taken in each.
    of_line = [max(site.per_warm_step for site in inside if site.source.line == line) for line in lines]
    return PredictedLoop(
        source=replace(inside[0].source, line=span[0]),
        last_line=span[1],
        lines=tuple(lines),
        turns=max(of_line),
        points_per_step=sum(site.per_warm_step for site in inside),
        findings=tuple(mine),
    )


def _innermost(file: str, line: int) -> _Span | None:
    """The first and the last line of the innermost loop around a line of a file."""
    around = [span for span in _loops_in(file) if span[0] <= line <= span[1]]
    return min(around, key=lambda span: (span[1] - span[0], -span[0]), default=None)


@cache
def _loops_in(file: str) -> tuple[_Span, ...]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ()
    return tuple(_spans(tree))


def _spans(tree: ast.AST) -> Iterator[_Span]:
    for node in ast.walk(tree):
        if isinstance(node, _LOOPS):
            yield node.lineno, node.end_lineno or node.lineno
