"""How long kernels take: a histogram, and how many are so short that launching them costs more."""

from __future__ import annotations

import math

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_names import short_name
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

SHORT_NS = 10_000
"""An operator takes the host about 10 us to launch: whoever runs only shorter kernels waits for the host."""

_EDGES_NS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 10_000_000)


@dataclass(frozen=True, slots=True)
class Bin:
    from_ns: int
    below_ns: int | None
    """None for the last one, which has no end."""
    calls: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class Durations:
    bins: tuple[Bin, ...]
    """All bins, the shortest first."""
    short_calls: int
    """Shorter than `SHORT_NS`."""
    short_ns: int


def durations(length: Int64s) -> Durations:
    """The distribution of kernels of these lengths."""
    at = np.searchsorted(_EDGES_NS, length, side="right")
    calls = np.bincount(at, minlength=len(_EDGES_NS) + 1)
    total = np.zeros(len(_EDGES_NS) + 1, np.int64)
    np.add.at(total, at, length)
    bins = (
        Bin(start, end, int(calls[one]), int(total[one]))
        for one, (start, end) in enumerate(zip((0, *_EDGES_NS), (*_EDGES_NS, None), strict=True))
    )
    short = length < SHORT_NS
    return Durations(tuple(bins), int(short.sum()), int(length[short].sum()))


def largest_kernels(facts: Facts, device: int, after_ns: float = -math.inf) -> list[tuple[str, float]]:
    """The two kernels with most time, by their short names, each with its share of all kernels, 0 to 1.

    Of those that begin at `after_ns` or later.
    """
    work, names = facts.work, facts.trace.names
    mine = np.flatnonzero(work.is_kernel & (work.device == device) & (work.start_ns >= after_ns))
    spent_ns = np.zeros(len(names), np.int64)
    np.add.at(spent_ns, facts.trace.slices.name[work.rows[mine]], work.end_ns[mine] - work.start_ns[mine])
    by_name: dict[str, int] = {}
    for name in np.flatnonzero(spent_ns).tolist():
        shown = short_name(names[name])
        by_name[shown] = by_name.get(shown, 0) + int(spent_ns[name])
    whole_ns = max(sum(by_name.values()), 1)
    first = sorted(by_name.items(), key=lambda item: (-item[1], item[0]))[:2]
    return [(name, ns / whole_ns) for name, ns in first]
