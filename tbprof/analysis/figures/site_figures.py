"""A site with its figures and its median instance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.op_chains import library_of
from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.transfers import Transfers
from tbprof.model import CopyTotal, Instance, Site, Source, Span, SpanKind, StepIndex
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Category


def site_figures(facts: Facts, site: SiteMembers) -> Site:
    """All of a site that a report holds."""
    episodes, members = facts.episodes, site.members
    step = episodes.step[members]
    per_step = np.bincount(step[step != NONE], minlength=len(facts.steps))
    op_before, op_after = _neighbors(facts, site)
    wait_per_step = np.zeros(len(facts.steps), np.int64)
    np.add.at(wait_per_step, step[step != NONE], episodes.wait_ns[members][step != NONE])
    return Site(
        direction=site.direction,
        memory=site.memory,
        calls=site.calls,
        ops=site.ops,
        source=site.source,
        label=site.label,
        module=site.module,
        count=len(members),
        blocking=int(episodes.blocking[members].sum()),
        per_step=tuple(per_step.tolist()),
        bytes=int(episodes.bytes[members].sum()),
        wait_ns=int(episodes.wait_ns[members].sum()),
        wait_net_ns=int(facts.net_wait_ns[members].sum()),
        explained_ns=int(facts.awaited.explained_ns[members].sum()),
        starve_ns=int(facts.starve_ns[members].sum()),
        instance=median_instance(facts, site, facts.origin_ns) if len(members) else None,
        device_ns=int(facts.transfers.device_ns[members].sum()),
        exposed_ns=int(facts.transfers.exposed_ns[members].sum()),
        library=None if site.source is None else library_of(site.source.file),
        callers=_callers(facts, site),
        wait_per_step_ns=tuple(wait_per_step.tolist()),
        communication_wait_ns=int(facts.wait_for_communication_ns[members].sum()),
        op_before=op_before,
        op_after=op_after,
    )


def _neighbors(facts: Facts, site: SiteMembers) -> tuple[str | None, str | None]:
    """The outermost operators before and after, the most frequent pair; no line, label or module is known."""
    slices, ops = facts.trace.slices, facts.top_ops
    if site.source is not None or site.label or site.module or len(ops) == 0:
        return None, None
    order = np.argsort(ops.rows)
    at = np.searchsorted(ops.rows[order], site.outermost_op)
    at = order[np.minimum(at, len(order) - 1)]
    at = at[(ops.rows[at] == site.outermost_op) & (at > 0) & (at < len(ops) - 1)]
    at = at[(ops.lane[at - 1] == ops.lane[at]) & (ops.lane[at + 1] == ops.lane[at])]
    pairs = np.stack([slices.name[ops.rows[at - 1]], slices.name[ops.rows[at + 1]]], axis=1)
    if len(pairs) == 0:
        return None, None
    distinct, which = distinct_lines(pairs.astype(np.int64))
    before, after = distinct[np.argmax(np.bincount(which))].tolist()
    return facts.trace.names[before], facts.trace.names[after]


def _callers(facts: Facts, site: SiteMembers) -> tuple[Source, ...]:
    """The frames around the site's median instance; without any, what the hook saw of them."""
    median = site.members[median_member(facts, site)]
    found = facts.call_chains.callers(int(facts.episodes.first[median]))
    audit = None if facts.trace.facts is None else facts.trace.facts.audit
    if found or audit is None or site.source is None or not site.source.exact:
        return found
    place = (site.source.file, site.source.line)
    callers = {call.caller for call in audit.calls if (call.file, call.line) == place and call.caller}
    return tuple(callers) if len(callers) == 1 else ()


_RESOLUTION = 64
"""Device rows closer than this part of the drawing are drawn as one."""

_KINDS: dict[int, SpanKind] = {
    Category.KERNEL: "kernel",
    Category.MEMCPY: "copy",
    Category.MEMSET: "memset",
}


def median_member(facts: Facts, site: SiteMembers) -> int:
    """The site's episode with the median wait, as an index into its members."""
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


def copy_totals(episodes: Episodes, transfers: Transfers) -> tuple[CopyTotal, ...]:
    """One row a kind, most bytes first. Copy calls without a device row are none of them."""
    real = np.flatnonzero(episodes.is_copy & (episodes.record != NONE))
    kinds = np.stack([episodes.direction[real], episodes.memory[real]], axis=1)
    rows = []
    for direction, memory in distinct_lines(kinds)[0].tolist():
        mine = real[(kinds[:, 0] == direction) & (kinds[:, 1] == memory)]
        rows.append(
            CopyTotal(
                direction=DIRECTIONS[direction],
                memory=MEMORIES[memory],
                count=len(mine),
                bytes=int(episodes.bytes[mine].sum()),
                blocking=int(episodes.blocking[mine].sum()),
                wait_ns=int(episodes.wait_ns[mine[episodes.blocking[mine]]].sum()),
                device_ns=int(transfers.device_ns[mine].sum()),
                exposed_ns=int(transfers.exposed_ns[mine].sum()),
                best_bytes_per_s=_best_speed(transfers.bytes_per_s[mine]),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.direction, row.memory)))


def _best_speed(bytes_per_s: npt.NDArray[np.float64]) -> int | None:
    """The speed of the fastest copy, in bytes a second; None where none is known."""
    known = bytes_per_s[np.isfinite(bytes_per_s)]
    return int(known.max()) if len(known) else None
