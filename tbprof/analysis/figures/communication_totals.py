"""Communication of a window: what it exposes, and its collectives by kind, group, dtype and size."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from tbprof.analysis.collectives import OPS, bus_factor, ends_of_op, key_of_op, key_of_range
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.device_pieces import HOST_COLLECTIVES
from tbprof.analysis.figures.rank_sequence import host_sequence, rank_sequence
from tbprof.analysis.intervals import intersect, overlap_ns, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import CollectiveKey, CollectiveTotal, Communication, PeerTraffic
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

MAX_TOTALS = 64
"""Kinds, groups, types and sizes that a report keeps apart, those that take longest; of the rest the sizes
are counted together."""


def communication_totals(facts: Facts) -> Communication | None:
    """The communication of all devices.

    None where no device is known and the hosts ran no collective. Of a file that breaks off only the order of
    the rest is given, which the other ranks' can be compared with.
    """
    on_host = tuple(sorted(_on_host(facts), key=lambda total: -total.total_ns))
    if not facts.device_is_known:
        of_device = rank_sequence(facts) if facts.trace.is_cut_off else None
        if not on_host and of_device is None:
            return None
        return Communication(None, None, on_host, sequence=of_device or host_sequence(facts))
    on_device = [total for total, _ in _on_device(facts)]
    on_device.sort(key=lambda total: (-(total.exposed_ns or 0), -total.total_ns))
    inside = union(facts.steps.gpu_start_ns, facts.steps.gpu_end_ns)
    overlapped = facts.parts.communication_overlapped.values()
    return Communication(
        exposed_ns=sum(total_ns(pieces) for pieces in facts.exposed_in_steps.values()),
        overlapped_ns=sum(total_ns(intersect(pieces, inside)) for pieces in overlapped),
        collectives=(*on_device, *on_host),
        peers=_peers(facts),
        sequence=rank_sequence(facts),
    )


def overlapped_counts(facts: Facts) -> dict[CollectiveTotal, int]:
    """The totals of devices, and how many of each run at least half of their time beside computing."""
    at, work, beside = facts.collectives.at, facts.work, facts.parts.communication_overlapped
    covered = np.zeros(len(at), np.int64)
    for device in beside:
        mine = np.flatnonzero(work.device[at] == device)
        covered[mine] = overlap_ns(beside[device], work.start_ns[at[mine]], work.end_ns[at[mine]])
    is_covered = (covered > 0) & (2 * covered >= (work.end_ns - work.start_ns)[at])
    return {total: int(np.count_nonzero(is_covered[mine])) for total, mine in _on_device(facts)}


def _on_device(facts: Facts) -> Iterator[tuple[CollectiveTotal, Int64s]]:
    """Each with its members' places in `facts.collectives`."""
    found, work = facts.collectives, facts.work
    length = (work.end_ns - work.start_ns)[found.at]
    for numbers in _counted_together(found.keys, found.key, length):
        mine = np.flatnonzero(is_among(found.key, numbers))
        total = _total([found.keys[number] for number in found.key[mine].tolist()], length[mine])
        streams = tuple(stream for stream in distinct(work.stream[found.at[mine]]).tolist() if stream >= 0)
        exposed = int(facts.collective_exposed_ns[mine].sum())
        yield dataclasses.replace(total, exposed_ns=exposed, streams=streams), mine


def _counted_together(keys: Sequence[CollectiveKey], key: Int64s, length_ns: Int64s) -> list[list[int]]:
    """Numbers of keys: the largest each alone, the others by all but their size."""
    spent = np.zeros(len(keys), np.int64)
    np.add.at(spent, key, length_ns)
    apart = set(np.argsort(-spent, kind="stable")[:MAX_TOTALS].tolist())
    together: defaultdict[CollectiveKey, list[int]] = defaultdict(list)
    for number, one in enumerate(keys):
        if number not in apart:
            together[dataclasses.replace(one, bytes_in=None, bytes_out=None)].append(number)
    return [*([number] for number in sorted(apart)), *together.values()]


def _on_host(facts: Facts) -> Iterator[CollectiveTotal]:
    """The ranges of host backends; what else the host did meanwhile is not looked at."""
    rows = matching_rows(facts.trace, HOST_COLLECTIVES, Category.USER_ANNOTATION, Category.CPU_OP)
    length = facts.trace.slices.duration_ns[rows]
    keys = [key_of_range(facts.trace, row) for row in rows.tolist()]
    for key in dict.fromkeys(keys):
        mine = [place for place, one in enumerate(keys) if one == key]
        total = _total([key] * len(mine), length[mine])
        yield dataclasses.replace(total, on="host", exposed_ns=None)


def _total(keys: Sequence[CollectiveKey], length_ns: Int64s) -> CollectiveTotal:
    """One row for members that agree on all but their sizes."""
    first, spent_ns = keys[0], int(length_ns.sum())
    larger = [_larger(key) for key in keys]
    moved = None if None in larger else sum(size for size in larger if size is not None)
    algorithm = None if not moved or not spent_ns else moved / spent_ns
    factor = bus_factor(first.kind, first.group_size)
    return CollectiveTotal(
        kind=first.kind,
        group=first.group,
        ranks=first.ranks,
        group_size=first.group_size,
        dtype=first.dtype,
        count=len(keys),
        bytes_in=_sum([key.bytes_in for key in keys]),
        bytes_out=_sum([key.bytes_out for key in keys]),
        message_bytes=larger[0] if len(set(larger)) == 1 else None,
        total_ns=spent_ns,
        exposed_ns=0,
        algorithm_gb_s=algorithm,
        bus_gb_s=None if algorithm is None or factor is None else algorithm * factor,
        shortest_ns=int(length_ns.min()),
        longest_ns=int(length_ns.max()),
    )


def _larger(key: CollectiveKey) -> int | None:
    sizes = [size for size in (key.bytes_in, key.bytes_out) if size is not None]
    return max(sizes, default=None)


def _sum(sizes: Sequence[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _peers(facts: Facts) -> tuple[PeerTraffic, ...]:
    """The traffic by source and destination, from the ops: several sends may share one kernel."""
    table = facts.trace.collectives
    if table is None:
        return ()
    ops = matching_rows(facts.trace, OPS, Category.CPU_OP)
    source, destination = ends_of_op(facts.trace, ops)
    known = np.flatnonzero((source != NONE) & (destination != NONE))
    calls: Counter[tuple[int, int]] = Counter()
    sizes: defaultdict[tuple[int, int], list[int | None]] = defaultdict(list)
    for place in known.tolist():
        pair = (int(source[place]), int(destination[place]))
        calls[pair] += 1
        sizes[pair].append(_larger(key_of_op(facts.trace, int(ops[place]))))
    return tuple(PeerTraffic(*pair, calls[pair], _sum(sizes[pair])) for pair in sorted(calls))
