"""The trace lacks something that the figures rest on.

What
    Events were lost, device work has no launch or begins before it, or streams wait for each other
    and the trace does not say for which.

Why
    A wait is explained by what the device did meanwhile, and idle by what was queued. What is
    missing shows as an unexplained wait, or as idle that nobody caused.

Example
    before:
        profile(activities=activities, schedule=schedule(wait=0, warmup=0, active=200))
    after:
        config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
        profile(
            activities=activities, schedule=schedule(wait=5, warmup=3, active=5),
            experimental_config=config,
        )

Action
    Record fewer steps, with sync events on.

Fix
    Record fewer steps after a warm-up, with CUDA sync events on (the trainer hook does both), and
    let the process end the profile before it is killed.
    caveat: from CUDA 12.9 on some versions of torch record sync events that name no stream.

Silent
    Not reported if under 5 % of the device's rows lack their launch (what was launched before the window
    does), and if the clocks of host and device differ by at most 10 us. Always `info`: the training itself
    saves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import events_in_steps
from tbprof.rules.base.rule import Rule
from tbprof.rules.trace_health.words import Gaps
from tbprof.trace.columns.arrays import CLOCK_SLACK_NS, NONE, Int64s
from tbprof.trace.columns.columns import Category

_CODE = "TRC03"

WITHOUT_LAUNCH_SHARE = 0.05
"""More than the work that a full queue of 1024 launches carries over into a window of five steps
with 4000 kernels each."""


def find(facts: Facts) -> Iterator[Finding]:
    gaps = find_trace_gaps(facts)
    missing = _missing_launches(gaps)
    rows = np.concatenate([missing, gaps.before_launch, gaps.unnamed_waits])
    if not gaps.is_damaged and len(rows) == 0:
        return
    yield window_finding(
        _CODE,
        place="",
        severity="info",
        count=len(rows) + gaps.is_damaged,
        removal="needed",
        saving=None,
        confidence="high",
        evidence=row_evidence(facts, "gap", rows),
        figures=Gaps(
            damaged=gaps.is_damaged,
            without_launch=len(missing),
            before_launch=len(gaps.before_launch),
            unnamed_waits=len(gaps.unnamed_waits),
        ),
    )


def _missing_launches(gaps: TraceGaps) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    share = len(gaps.without_launch) / max(gaps.device_rows, 1)
    return gaps.without_launch if share >= WITHOUT_LAUNCH_SHARE else np.empty(0, np.int64)


RULE = Rule(
    code=_CODE,
    find=find,
    passing=events_in_steps,
    no_saving="it says how far the other figures can be trusted",
    is_of_device=True,
)


_LOSSES = frozenset({"compression_damaged", "truncated", "events_dropped"})

_STREAM_WAIT = r"(?:cuda|hip|cu)StreamWaitEvent"


@dataclass(frozen=True, slots=True, eq=False)
class TraceGaps:
    is_damaged: bool
    """Whether events of the file were lost."""
    device_rows: int
    without_launch: Int64s
    """Device rows whose launch is not in the trace."""
    before_launch: Int64s
    """Device rows that begin before their launch by more than `CLOCK_SLACK_NS`."""
    unnamed_waits: Int64s
    """Calls that make a stream wait, in a trace that names no stream they waited for."""


def find_trace_gaps(facts: Facts) -> TraceGaps:
    trace, work = facts.trace, facts.work
    known = work.launch != NONE
    early = known & (work.start_ns < work.launch_start_ns - CLOCK_SLACK_NS)
    waits = matching_rows(trace, _STREAM_WAIT, Category.RUNTIME)
    is_named = bool((trace.awaited_stream.values >= 0).any())
    return TraceGaps(
        is_damaged=any(fact.code in _LOSSES for fact in trace.health),
        device_rows=len(work.rows),
        without_launch=work.rows[~known],
        before_launch=work.rows[early],
        unnamed_waits=np.empty(0, np.int64) if is_named else waits,
    )
