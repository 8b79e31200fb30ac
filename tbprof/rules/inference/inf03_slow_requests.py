"""Some requests take far longer than most.

What
    The window holds a program that only infers, and its slowest requests take twice as long as the median
    one.

Why
    Who waits for an answer feels the slow ones. The mean, and the time of the device, hide them.

Example
    before:
        with torch.inference_mode():
            answer = model(prompt)
    after:
        prompt = pad(prompt, to=(64, 128, 256))
        with torch.inference_mode():
            answer = graphs[prompt.shape](prompt)

Action
    Look at the slowest requests in the timeline.

Fix
    Warm up each shape that comes before the first request is taken; give inputs one length or a few, so that
    a CUDA graph or compiled code is there for each; keep garbage collection and logging out of requests; and
    answer several requests in one batch where throughput counts for more than latency.
    caveat: requests of different lengths may well take different times, and then this is as it should be.

Silent
    Not reported for windows with a backward pass or an optimizer step, for fewer than ten requests, or for
    the first requests while they warm up. A request is a step or, if no steps are marked, a range that
    occurs at least ten times and fills most of the window. A tail is not part of a mean step: no saving is
    given.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import trains
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.inference.words import Latencies, SlowRequests
from tbprof.trace.columns.arrays import NONE, Int64s, is_among, median
from tbprof.trace.columns.columns import Category

_CODE = "INF03"

LEAST_REQUESTS = 10
TAIL = 2.0
"""Times the median: from here on a request is one of the slow ones."""

_HELD = 0.5
"""The part of the window that ranges which are requests hold at least."""


@dataclass(frozen=True, slots=True, eq=False)
class _Requests:
    rows: Int64s
    """Rows of their ranges."""
    latency_ns: Int64s
    """The time from the start on the host until host and device are done."""
    warm: Int64s
    """Positions of those after the ones that warmed up."""


def find(facts: Facts) -> Iterator[Finding]:
    requests = facts.once(_requests)
    warm_ns = requests.latency_ns[requests.warm]
    if facts.once(trains) or len(warm_ns) < LEAST_REQUESTS:
        return
    slow = warm_ns >= TAIL * median(warm_ns)
    if slow.any():
        yield window_finding(
            _CODE,
            place="",
            severity="low",
            count=int(slow.sum()),
            removal="rewrite",
            saving=None,
            confidence="medium",
            evidence=row_evidence(facts, "request", requests.rows[requests.warm[slow]]),
            figures=SlowRequests(int(slow.sum()), _latencies(requests)),
        )


def _latencies(requests: _Requests) -> Latencies:
    """The latencies of the warm ones; the slowest of fewer than a hundred stands for the 99th percentile."""
    warm_ns = requests.latency_ns[requests.warm]
    return Latencies(
        requests=len(warm_ns),
        p50_ns=int(median(warm_ns)),
        p99_ns=int(np.percentile(warm_ns, 99, method="higher")),
        first_ns=int(requests.latency_ns[0]),
        per_s=round(1e9 / max(float(warm_ns.mean()), 1.0), 1),
    )


def _requests(facts: Facts) -> _Requests:
    slices, work = facts.trace.slices, facts.work
    rows = _rows(facts)
    if not len(rows):
        return _Requests(rows, rows, rows)
    start_ns = slices.start_ns[rows]
    end_ns = slices.end_of(rows).copy()
    launched = np.flatnonzero(work.launch != NONE)
    at = np.searchsorted(start_ns, work.launch_start_ns[launched], side="right") - 1
    inside = (at >= 0) & (work.launch_start_ns[launched] < slices.end_of(rows)[np.maximum(at, 0)])
    np.maximum.at(end_ns, at[inside], work.end_ns[launched[inside]])
    latency_ns = end_ns - start_ns
    return _Requests(rows, latency_ns, np.arange(_warm_from(latency_ns), len(rows)))


def _warm_from(latency_ns: Int64s) -> int:
    """How many at the start take longer than the slowest of the second half: they load and compile."""
    if len(latency_ns) < LEAST_REQUESTS:
        return 0
    slowest = int(latency_ns[len(latency_ns) // 2 :].max())
    usual = np.flatnonzero(latency_ns <= slowest)
    return int(usual[0])


def _rows(facts: Facts) -> Int64s:
    """The steps; else the ranges of the name that holds most of the window, if it comes often enough."""
    slices = facts.trace.slices
    ranges = np.flatnonzero(slices.category == Category.USER_ANNOTATION)
    if facts.steps.recorded:
        starts = is_among(slices.start_ns[ranges], facts.steps.start_ns)
        of_steps = starts & is_among(slices.end_of(ranges), facts.steps.end_ns)
        rows = ranges[of_steps]
        _, first = np.unique(slices.start_ns[rows], return_index=True)
        chosen: Int64s = rows[first]
        return chosen
    held_ns = np.bincount(slices.name[ranges], slices.duration_ns[ranges], len(facts.trace.names))
    often = np.bincount(slices.name[ranges], minlength=len(facts.trace.names)) >= LEAST_REQUESTS
    if not often.any():
        return ranges[:0]
    most = int(np.argmax(np.where(often, held_ns, 0)))
    if held_ns[most] < _HELD * facts.steps.total_ns:
        return ranges[:0]
    mine = ranges[slices.name[ranges] == most]
    in_order: Int64s = mine[np.argsort(slices.start_ns[mine], kind="stable")]
    return in_order


def _looked_at(facts: Facts) -> Latencies | None:
    return None if facts.once(trains) else _latencies(facts.once(_requests))


RULE = Rule(
    code=_CODE,
    find=find,
    passing=_looked_at,
    is_timed=True,
    needs=(
        Need(
            "ten requests",
            lambda facts: facts.once(trains) or len(facts.once(_requests).warm) >= LEAST_REQUESTS,
        ),
    ),
    no_saving="a tail is no part of the mean",
)
