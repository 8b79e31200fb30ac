"""Why a rank was late: what its stretch before the collective holds more of than those of the others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tbprof.job.arrivals import NOBODY, SAME_NS, Arrivals
from tbprof.job.rank_record import Part
from tbprof.job.stretches import NOTHING, Stretch, Stretches

JITTER = Part("idle", "jitter")
"""Waits in collectives for which nobody was late by more than noise."""

UNEXPLAINED = Part("idle", "unexplained")
"""The late rank's stretch holds nothing more than the others': it came late into the window."""

TRANSPORT = Part("idle", "transport")
"""The late rank left the collective before later than the others: what it sent or received took longer."""


@dataclass(frozen=True, slots=True)
class Excess:
    """What the late rank's stretch holds more of than the median of the others."""

    part: Part
    ns: int


@dataclass(frozen=True, slots=True)
class Blame:
    """All arrival waits of one collective, given to the late rank and to what made it late."""

    group: str
    index: int
    """The index of the collective in its group."""
    step: int
    rank: int
    """Position in the list of records, or `NOBODY`."""
    also_late: tuple[int, ...]
    """Positions of those that came together with it."""
    late_ns: int
    net_late_ns: int
    """What that adds to the lateness of the collectives before."""
    waits_ns: int
    """The waits of all ranks together."""
    by_part: Mapping[Part, int]
    """They add up to `waits_ns`."""
    excesses: tuple[Excess, ...]
    """Largest first."""


def blames_of(arrivals: Arrivals, stretches: Stretches) -> tuple[Blame, ...]:
    """One for each matched collective."""
    return tuple(_blames(arrivals, stretches))


def _blames(arrivals: Arrivals, stretches: Stretches) -> Iterator[Blame]:
    group = arrivals.group
    waits = arrivals.wait_ns.sum(axis=1).tolist()
    earlier: dict[int, tuple[Excess, ...]] = {}
    begun_level = np.concatenate([[False], np.cumsum(stretches.ends_segment)[:-1] > 0]).tolist()
    for index, (late, total) in enumerate(zip(arrivals.late.tolist(), waits, strict=True)):
        excesses: tuple[Excess, ...] = ()
        by_part: Mapping[Part, int] = {JITTER: total} if total else {}
        if late != NOBODY:
            found = _excesses(stretches.of[index], late)
            excesses, still_ns = _done_by_host(
                found, _host_excess(stretches, index, late), stretches.often[late]
            )
            if begun_level[index]:
                excesses = _with(excesses, TRANSPORT, int(arrivals.left_late_ns[index - 1, late]))
            else:
                late_ns = int(arrivals.late_ns[index])
                # Before the first moment at which ranks were level, nothing says that they began together.
                excesses = _with(excesses, UNEXPLAINED, late_ns - sum(one.ns for one in found))
            # The lateness that goes on is that of the larger part.
            if late not in earlier or sum(one.ns for one in excesses) > still_ns:
                earlier[late] = excesses or found
            by_part = _divided(total, excesses, still_ns, earlier[late])
        yield Blame(
            group=group.group,
            index=index,
            step=int(arrivals.step[index]),
            rank=NOBODY if late == NOBODY else group.ranks[late],
            also_late=tuple(
                group.ranks[at] for at in np.flatnonzero(arrivals.is_late[index]).tolist() if at != late
            ),
            late_ns=int(arrivals.late_ns[index]),
            net_late_ns=int(arrivals.net_late_ns[index]),
            waits_ns=total,
            by_part=by_part,
            excesses=excesses,
        )


def _host_excess(stretches: Stretches, index: int, late: int) -> int | None:
    """What the host of the late rank worked more than those of the others; None where nobody knows."""
    if stretches.host_ns is None or index == 0:
        return None
    row = stretches.host_ns[index]
    return max(int(row[late] - np.median(np.delete(row, late))), 0)


def _done_by_host(
    excesses: tuple[Excess, ...], host_ns: int | None, often: Mapping[Part, float]
) -> tuple[tuple[Excess, ...], int]:
    """The excesses that the rank's own stretch explains, and what is still left of an earlier lateness.

    A host that fell behind stays behind, and its device idles again and again. The others' hosts did the same
    work, hidden while their devices waited for this rank: that is no new cause. So idle of a late host counts
    for as much as the host worked more, what it seldom does first.
    """
    of_host = sorted((one for one in excesses if is_of_host(one.part)), key=lambda one: often[one.part])
    left = sum(one.ns for one in of_host)
    if host_ns is None or left <= host_ns:
        return excesses, 0
    still = left - host_ns
    kept = [one for one in excesses if not is_of_host(one.part)]
    for one in of_host:
        ns = min(one.ns, host_ns)
        host_ns -= ns
        kept += [replace(one, ns=ns)] if ns else []
    return tuple(sorted(kept, key=lambda one: -one.ns)), still


def _with(excesses: tuple[Excess, ...], part: Part, ns: int) -> tuple[Excess, ...]:
    if ns <= SAME_NS:
        return excesses
    return tuple(sorted((*excesses, Excess(part, ns)), key=lambda one: -one.ns))


def is_of_host(part: Part) -> bool:
    """Whether the device idled because the host came late, for another reason than a wait for the device."""
    return part.family == "idle" and part.cause not in ("sync", "queued", TRANSPORT.cause)


def _excesses(stretches: Sequence[Stretch], late: int) -> tuple[Excess, ...]:
    """The excess of each op, all modules together: a report may keep them apart on one rank alone."""
    by_op: defaultdict[str, list[Part]] = defaultdict(list)
    found = []
    for part in stretches[late]:
        if part.family == "computing":
            by_op[part.name].append(part)
        else:
            found += _excess_of(stretches, late, part)
    ops = [_by_op(stretch) for stretch in stretches]
    for op, parts in by_op.items():
        more = ops[late][op] - _median([one[op] for at, one in enumerate(ops) if at != late])
        if more > 0:
            found += _of_modules(stretches, late, parts, more)
    return tuple(sorted(_beyond_idle(found, _idle_less(stretches, late)), key=lambda one: -one.ns))


def _idle_less(stretches: Sequence[Stretch], late: int) -> int:
    """How much less the late rank idled for its host than the others."""
    others = [stretch for at, stretch in enumerate(stretches) if at != late]
    less = 0
    for part in {part for stretch in others for part in stretch if is_of_host(part)}:
        usual = _median([stretch.get(part, NOTHING).ns for stretch in others])
        less += max(usual - stretches[late].get(part, NOTHING).ns, 0)
    return less


def _beyond_idle(found: Sequence[Excess], less_ns: int) -> list[Excess]:
    """Computing that fills what is idle on the others makes nobody late."""
    computing_ns = sum(one.ns for one in found if one.part.family == "computing")
    if not less_ns or not computing_ns:
        return list(found)
    left_ns = max(computing_ns - less_ns, 0)
    scaled = (
        replace(one, ns=one.ns * left_ns // computing_ns) if one.part.family == "computing" else one
        for one in found
    )
    return [one for one in scaled if one.ns]


def _by_op(stretch: Stretch) -> Counter[str]:
    """Computing of each op, in ns."""
    total: Counter[str] = Counter()
    for part, held in stretch.items():
        if part.family == "computing":
            total[part.name] += held.ns
    return total


def _excess_of(stretches: Sequence[Stretch], late: int, part: Part) -> list[Excess]:
    own = stretches[late][part].ns
    usual = _median([one.get(part, NOTHING).ns for at, one in enumerate(stretches) if at != late])
    return [Excess(part, own - usual)] if own > usual else []


def _of_modules(stretches: Sequence[Stretch], late: int, parts: Sequence[Part], more: int) -> list[Excess]:
    """What a rank computes more of an op, in proportion to what it does in each module."""
    some = [excess for part in parts for excess in _excess_of(stretches, late, part)]
    total = sum(one.ns for one in some)
    if total == 0:
        return [Excess(max(parts, key=lambda part: stretches[late][part].ns), more)]
    shares = [one.ns * more // total for one in some]
    shares[max(range(len(some)), key=lambda at: some[at].ns)] += more - sum(shares)
    return [replace(one, ns=ns) for one, ns in zip(some, shares, strict=True) if ns]


def _median(values: Sequence[int]) -> int:
    return round(float(np.median(values)))


def _divided(
    total: int, excesses: Sequence[Excess], still_ns: int, earlier: Sequence[Excess]
) -> Mapping[Part, int]:
    """The waits in proportion to the excesses, and of an earlier lateness to its own."""
    parts: Counter[Part] = Counter()
    for one in excesses:
        parts[one.part] += one.ns
    all_earlier = sum(one.ns for one in earlier)
    for one in earlier:
        parts[one.part] += still_ns * one.ns // all_earlier
    more = sum(parts.values())
    if more == 0:
        return {UNEXPLAINED: total} if total else {}
    shares = Counter({part: total * ns // more for part, ns in parts.items()})
    shares[max(parts, key=lambda part: parts[part])] += total - sum(shares.values())
    return shares
