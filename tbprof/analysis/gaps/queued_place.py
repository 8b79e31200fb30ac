"""Where the host waits while the device has work queued and does nothing."""

from __future__ import annotations

from collections import Counter

from tbprof.analysis.arrays.intervals import intersect, subtract, total_ns, union
from tbprof.analysis.facts import Facts

_MOST = 0.5


def queued_place(facts: Facts, device: int) -> tuple[str, int]:
    """The code in whose waits most of that idle lies, and how much, in ns; "" and 0 where there is none.

    A host that runs ahead is anywhere meanwhile; one that stands in a wait names what both wait for.
    """
    episodes = facts.episodes
    blocking = episodes.blocking
    waits = union(episodes.start_ns[blocking], episodes.end_ns[blocking])
    queued = subtract(facts.idle.gaps[device], facts.idle.empty[device])
    inside = union(facts.steps.gpu_start_ns, facts.steps.gpu_end_ns)
    pieces = intersect(intersect(queued, inside), waits)
    names = facts.places.names(pieces.start_ns, pieces.end_ns)
    spent: Counter[str] = Counter()
    for name, ns in zip(names, (pieces.end_ns - pieces.start_ns).tolist(), strict=True):
        spent[name] += ns
    place, most_ns = max(spent.items(), key=lambda one: one[1], default=("", 0))
    if not place or most_ns < _MOST * total_ns(queued):
        return "", 0
    return place, most_ns
