"""What a rank said to others, and what the job's analysis needs to know of this rank."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tbprof.model.sites import SiteIndex
from tbprof.records import dataclass

PartKind: TypeAlias = Literal["computing", "communication", "copying", "idle"]

HOST_DEVICE = -1
"""The `device` of a sequence whose collectives the hosts did."""


@dataclass(frozen=True, slots=True)
class CollectiveTotal:
    """Collectives of one kind, group, dtype and size, counted together over the whole window."""

    kind: str
    """The kind, such as `all_reduce`; "unknown" where neither arguments nor name tell it."""
    group: str | None
    """Name of the process group."""
    dtype: str | None
    count: int
    bytes_in: int | None
    """The bytes of all `count` messages, as the next one."""
    bytes_out: int | None
    total_ns: int
    """On the device, waiting for other ranks included; on the host where `on` says so."""
    exposed_ns: int | None
    """The part within the steps with no computing beside it; where several ran at once the earlier has it."""
    transfer_ns: int | None = None
    """Known only with the other ranks, as the next one."""
    arrival_wait_ns: int | None = None
    algorithm_gb_s: float | None = None
    """The larger of the two sizes over the whole time: waiting for other ranks makes it small."""
    bus_gb_s: float | None = None
    """`algorithm_gb_s` times the factor of the kind: what each link has to carry."""
    on: Literal["device", "host"] = "device"
    ranks: str | None = None
    """The ranks of the group, as recorded: `[0, 1]`."""
    group_size: int | None = None
    message_bytes: int | None = None
    """The larger of the two sizes of one message."""
    shortest_ns: int = 0
    longest_ns: int = 0
    streams: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PeerTraffic:
    """What one rank sent another, as this rank called it."""

    source: int
    destination: int
    count: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class CollectiveKey:
    """What ranks must agree on for a collective of one to be that of another."""

    kind: str
    group: str | None
    ranks: str | None
    group_size: int | None
    dtype: str | None
    bytes_in: int | None
    """The bytes of one message, as the next one."""
    bytes_out: int | None

    @property
    def group_name(self) -> str:
        """A name that tells a group from others on every rank; "" where nothing of it was recorded."""
        return " ".join(part for part in (self.group, self.ranks) if part)


@dataclass(frozen=True, slots=True)
class StretchPart:
    """One thing that a rank did between two collectives of a group."""

    kind: PartKind
    cause: str = ""
    """The cause of idle; "outside" is between the steps."""
    name: str = ""
    """Computing: the op that launched it. Communication: the other collective's kind. Idle: the code that
    the host was in. "" for all that is too small to be told apart."""
    within: str = ""
    """Computing: the module, else the label. Communication: the other group."""
    site: SiteIndex | None = None
    """Idle: the wait that let the device run dry."""


@dataclass(frozen=True, slots=True)
class RankSequence:
    """The collectives of the busiest device in order of their start, and what lay between them.

    Columns up to `stretch_ns` have one entry a collective, and so have `step` and the two after it. A
    collective's stretch is what came before it: from the start of the collective before of its group (of
    the first one: from `begin_ns`) to its own start. Entries `part_begin[i]` to `part_begin[i + 1]` of the
    columns of parts divide the stretch of collective `i` exactly: they add up to `stretch_ns[i]`. What
    computes at a moment comes first, then communication: that of the own group as far as it was exposed.

    Bounded: at most 1,024 collectives and 4,096 parts with a name; what a stretch holds of less than a
    fiftieth goes into the part of its kind without one, or of its op. Communication always keeps its name.
    """

    device: int
    """`HOST_DEVICE` for collectives of the hosts, where no device is known."""
    keys: tuple[CollectiveKey, ...]
    key: tuple[int, ...]
    """Index into `keys`."""
    number: tuple[int, ...]
    """The group's sequence number, -1 where it was not recorded."""
    stream: tuple[int, ...]
    start_ns: tuple[int, ...]
    """Starts counted from the first event of the trace, on this rank's clock."""
    duration_ns: tuple[int, ...]
    stretch_ns: tuple[int, ...]
    parts: tuple[StretchPart, ...]
    part_begin: tuple[int, ...]
    """One entry more than collectives."""
    part: tuple[int, ...]
    """Index into `parts`."""
    part_ns: tuple[int, ...]
    part_count: tuple[int, ...]
    """Number of kernels, where the part is computing."""
    left_out: int = 0
    """Later collectives for which there was no room."""
    begin_ns: int | None = None
    """When the rank began with the steps: the device was done with all before them. None in reports of
    older versions, in which stretches begin at an end and the columns below are not there."""
    step: tuple[int, ...] = ()
    """Number of the training step that launched it, as the profiler has it."""
    launched_ns: tuple[int, ...] = ()
    """When the host had launched it; -1 where that was not recorded."""
    host_wait_ns: tuple[int, ...] = ()
    """How long the host waited for the device between the launch of the collective before, of any group,
    and this one."""
    part_work: tuple[int, ...] = ()
    """The elements in a computing part's inputs; -1 where no shapes were recorded."""


@dataclass(frozen=True, slots=True)
class Communication:
    """On all devices, within the steps; the collectives are those of the whole window."""

    exposed_ns: int | None
    """With no computing beside it; None where no device is known, as the next one."""
    overlapped_ns: int | None
    """Beside computing: what that costs the computing only a measurement can tell."""
    collectives: tuple[CollectiveTotal, ...]
    """Most exposed first, those of the host last."""
    peers: tuple[PeerTraffic, ...] = ()
    """Sends and receives whose two ranks were recorded."""
    sequence: RankSequence | None = None
