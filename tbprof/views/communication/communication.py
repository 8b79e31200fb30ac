"""What the view of one rank's communication shows. Times are us."""

from __future__ import annotations

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class CollectiveRow:
    """Collectives of one kind, group, type and size, over the whole window; null is not recorded."""

    kind: str
    group: str | None
    """Name of the process group, else its ranks."""
    ranks: str | None
    group_size: int | None
    dtype: str | None
    count: int
    bytes_in: int | None
    """The bytes of all of them, as the next one."""
    bytes_out: int | None
    message_bytes: int | None
    """The larger side of one message; null where they differ, too."""
    total_us: float
    exposed_us: float | None
    """Within the steps, with no computing beside it; null for those of the host."""
    shortest_us: float
    longest_us: float
    transfer_us: float | None
    """Known only with the other ranks, as the next one."""
    arrival_wait_us: float | None
    algorithm_gb_s: float | None
    bus_gb_s: float | None
    on: str
    """`device` or `host`."""


@dataclass(frozen=True, slots=True)
class PeerRow:
    source: int
    destination: int
    count: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class CommunicationView:
    sentence: str
    detail: str
    """"" if there is nothing to add."""
    not_recorded: str
    """Which columns lack something, and why; "" if none does."""
    exposed_us: float | None
    """Time of a mean step and device, as the next one; null where no device is known."""
    overlapped_us: float | None
    rows: tuple[CollectiveRow, ...]
    """Most exposed first, those of the host last."""
    peers: tuple[PeerRow, ...]
    """Sends and receives by pair of ranks."""
