"""One episode of a site as a drawing: host over device, enough when the trace is gone."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.model import Instance, Span, SpanKind, StepIndex
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category

_RESOLUTION = 64
"""Device rows closer than this part of the drawing are drawn as one."""

_KINDS: dict[int, SpanKind] = {
    Category.KERNEL: "kernel",
    Category.MEMCPY: "copy",
    Category.MEMSET: "memset",
}


def median_member(facts: Facts, site: SiteMembers) -> int:
    """Which of the site's episodes has the median wait, as an index into its members."""
    wait = facts.episodes.wait_ns[site.members]
    return int(np.argsort(wait, kind="stable")[len(wait) // 2])


def median_instance(facts: Facts, site: SiteMembers, origin_ns: int) -> Instance:
    """The episode of median wait; instants count from `origin_ns`."""
    middle = median_member(facts, site)
    episode = int(site.members[middle])
    step = StepIndex(int(facts.episodes.step[episode]))
    host, refilled_ns = _host(facts, episode, origin_ns)
    outermost = int(site.outermost_op[middle])
    return Instance(
        step=None if step == NONE else step,
        host=host,
        device=_device(facts, episode, refilled_ns, origin_ns),
        op=None if outermost == NONE else _span(facts, outermost, "launch", origin_ns),
    )


def _host(facts: Facts, episode: int, origin_ns: int) -> tuple[tuple[Span, ...], int]:
    """The launch before, the calls, the launch after; and when the work of the last began."""
    episodes, calls, work = facts.episodes, facts.calls, facts.work
    first, joined = int(episodes.first[episode]), int(episodes.joined[episode])
    start, end = int(episodes.start_ns[episode]), int(episodes.end_ns[episode])
    first_kind: SpanKind = "copy_call" if episodes.is_copy[episode] else "sync_call"
    spans = [_span(facts, int(calls.rows[first]), first_kind, origin_ns)]
    if joined != NONE:
        spans.append(_span(facts, int(calls.rows[joined]), "sync_call", origin_ns))
    lane = int(calls.lane[first])
    before = facts.launch_order.last_before(lane, start)
    if before != NONE:
        spans.insert(0, _span(facts, int(work.launch[before]), "launch", origin_ns))
    # What a copy of no length launched is none of what came after it.
    after = facts.launch_order.first_from(lane, max(end, start + 1))
    if after == NONE:
        return tuple(spans), end
    spans.append(_span(facts, int(work.launch[after]), "launch", origin_ns))
    return tuple(spans), int(work.end_ns[after])


def _device(facts: Facts, episode: int, until_ns: int, origin_ns: int) -> tuple[Span, ...]:
    work, start = facts.work, int(facts.episodes.start_ns[episode])
    mine = work.between(int(facts.awaited.device[episode]), start, until_ns)
    if len(mine) == 0:
        return ()
    resolution = max(until_ns - start, 1) // _RESOLUTION
    reach = np.maximum.accumulate(work.end_ns[mine])
    apart = np.flatnonzero(work.start_ns[mine][1:] - reach[:-1] > resolution) + 1
    return tuple(_merged(facts, rows, origin_ns) for rows in np.split(mine, apart))


def _merged(facts: Facts, entries: Int64s, origin_ns: int) -> Span:
    """Entries that lie close, as one bar of the kind that takes most of it."""
    work = facts.work
    length = work.end_ns[entries] - work.start_ns[entries]
    most = int(entries[np.argmax(length)])
    longest = int(work.rows[most])
    kind = _KINDS[int(facts.trace.slices.category[longest])]
    start = int(work.start_ns[entries[0]])
    return Span(
        kind="communication" if facts.parts.is_communication[most] else kind,
        name=facts.trace.names[facts.trace.slices.name[longest]] if len(entries) == 1 else "",
        start_ns=start - origin_ns,
        duration_ns=int(work.end_ns[entries].max()) - start,
    )


def _span(facts: Facts, row: int, kind: SpanKind, origin_ns: int) -> Span:
    slices = facts.trace.slices
    return Span(
        kind=kind,
        name=facts.trace.names[slices.name[row]],
        start_ns=int(slices.start_ns[row]) - origin_ns,
        duration_ns=int(slices.duration_ns[row]),
    )
