"""Loops whose lines would wait for a GPU again and again in a step: all lines of one are one thing to change.

A loop is what the program's own text says, the innermost one around a line; a comprehension is one, too. The
loop over the steps themselves is none: most of what waits in its turns waits once in a step. Lines that are
named for what torch's own code does, as a backward pass, wait as often as that, and not as their loop turns.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from tbprof.line_rules import LOOP_READS
from tbprof.preflight.prediction import PredictedFinding, PredictedLoop, PredictedSite
from tbprof.preflight.watching.recording import Tally

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
    """The loops, most turns first.

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
