"""The kernels that a device spends most of its time in."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.kernels.short_names import short_name
from tbprof.model import Numbers


def largest_kernels(facts: Facts, device: int) -> Numbers:
    """`kernel` and `next_kernel`, by their short names, each with its `_share` of all kernels, 0 to 1."""
    work, names = facts.work, facts.trace.names
    mine = np.flatnonzero(work.is_kernel & (work.device == device))
    spent_ns = np.zeros(len(names), np.int64)
    np.add.at(spent_ns, facts.trace.slices.name[work.rows[mine]], work.end_ns[mine] - work.start_ns[mine])
    by_name: dict[str, int] = {}
    for name in np.flatnonzero(spent_ns).tolist():
        shown = short_name(names[name])
        by_name[shown] = by_name.get(shown, 0) + int(spent_ns[name])
    whole_ns = max(sum(by_name.values()), 1)
    first = sorted(by_name.items(), key=lambda item: (-item[1], item[0]))[:2]
    keys = ("kernel", "next_kernel")
    numbers: dict[str, int | float | str] = {}
    for key, (name, ns) in zip(keys, first, strict=False):
        numbers |= {key: name, f"{key}_share": ns / whole_ns}
    return numbers
