"""The wait above what the calls cost even when there is nothing to wait for."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.events.calls import Calls
from tbprof.analysis.events.episodes import Episodes
from tbprof.analysis.waits.awaited import Awaited
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, percentile

DEFAULT_COPY_NS = 8_000
DEFAULT_SYNC_NS = 5_000
"""Base costs where a trace has too few calls with nothing to wait for; seen on A100 and V100."""

_MIN_CALLS = 5
_BASE_PERCENTILE = 10


def net_wait_ns(calls: Calls, episodes: Episodes, awaited: Awaited) -> Int64s:
    """One figure an episode: its wait less the base cost of its calls, at least 0.

    The base cost of a call is the 10th percentile over those calls of its name during which
    the device did nothing.
    """
    base = _base_ns(calls, episodes, awaited)
    cost = base[episodes.first] + np.where(episodes.joined == NONE, 0, base[episodes.joined])
    net: Int64s = np.maximum(episodes.wait_ns - cost, 0)
    return net


def _base_ns(calls: Calls, episodes: Episodes, awaited: Awaited) -> Int64s:
    """Base cost of each call."""
    base = np.where(calls.is_copy, DEFAULT_COPY_NS, DEFAULT_SYNC_NS)
    free = episodes.blocking & (awaited.explained_ns == 0)
    involved = np.concatenate([episodes.first[free], episodes.joined[free]])
    involved = involved[involved != NONE]
    names = calls.trace.slices.name[calls.rows]
    duration = calls.end_ns - calls.start_ns
    for name in distinct(names[involved]).tolist():
        lengths = duration[involved[names[involved] == name]]
        if len(lengths) >= _MIN_CALLS:
            base[names == name] = int(percentile(lengths, _BASE_PERCENTILE))
    return base
