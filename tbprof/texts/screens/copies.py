"""What is to be said of copies of one kind."""

from __future__ import annotations

from tbprof.model import CopyTotal
from tbprof.texts.figures.quantities import duration, size

_NS_PER_US = 1000


def waiting_remark(total: CopyTotal) -> str:
    """That the host waits far longer than the copies take."""
    waited = duration((total.wait_ns or 0) / _NS_PER_US)
    copied = duration((total.device_ns or 0) / _NS_PER_US)
    return (
        f"The {waited} are not the copies: the {size(total.bytes)} take {copied}, the rest is waiting "
        "for work that was queued before them."
    )
