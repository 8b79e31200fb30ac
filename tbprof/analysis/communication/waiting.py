"""How much of a collective's time can't be transfer, by its size alone.

Which rank is late only all ranks together tell. But 24 kB in 2 ms are no transfer on any link that ranks are
joined by: at the least the rest is waiting for another rank, or for its turn on the link.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.communication.collectives import Collectives
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.model import CollectiveKey
from tbprof.trace.columns.arrays import Int64s

SLOWEST_LINK_BYTES_PER_NS = 1.0
"""A 10 Gbit Ethernet carries 1.25 GB/s; with less nobody trains on several machines."""

START_NS = 200_000
"""What a collective of many ranks takes before its data flow: measured ones of small messages end within
30 to 60 us, over Ethernet within some hundred."""

_MOST_TRIPS = 2
"""An all_reduce sends each byte up to twice over a link, and no other kind more."""


def surely_waited_ns(work: DeviceWork, found: Collectives) -> Int64s:
    """Of each collective at the least; 0 where its size was not recorded."""
    at_most = np.array([_at_most_ns(key) for key in found.keys], np.int64)
    length = (work.end_ns - work.start_ns)[found.at]
    if len(length) == 0:
        return length
    transfer = at_most[found.key]
    return np.where(transfer < 0, 0, np.maximum(length - transfer, 0))


def _at_most_ns(key: CollectiveKey) -> int:
    """What its transfer takes at the most; -1 where nobody knows."""
    sizes = [size for size in (key.bytes_in, key.bytes_out) if size is not None]
    if not sizes:
        return -1
    return START_NS + int(_MOST_TRIPS * max(sizes) / SLOWEST_LINK_BYTES_PER_NS)
