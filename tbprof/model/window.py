"""The window as a whole: what its trace is, its steps and where its device was idle."""

from __future__ import annotations

import hashlib
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from tbprof.model.findings import Numbers, Saving
from tbprof.model.sites import SiteIndex
from tbprof.records import dataclass

HealthSeverity: TypeAlias = Literal["info", "warning", "error"]

CodeKind: TypeAlias = Literal["label", "module", "function"]


@dataclass(frozen=True, slots=True)
class HealthFact:
    """One thing to know before the figures are trusted; its sentence is in `tbprof.texts`."""

    code: str
    severity: HealthSeverity
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class TraceSummary:
    path: str
    worker: str
    rank: int | None
    world_size: int | None
    devices: tuple[str, ...]
    """Names of the devices that ran something, by number; `GPU 2` where the file has no name. Where nothing
    but allocations was recorded, those that these are of."""
    era: str
    """The dialect of the file: "2021", "2022", "2023" or "2024+"."""
    span_ns: int
    """The time from the first event's start to the last event's end."""
    num_events: int
    health: tuple[HealthFact, ...]

    @property
    def is_cut_off(self) -> bool:
        """Whether the file breaks off among its events, so that any of a device's work may be lost."""
        return any(fact.code == "truncated" for fact in self.health)

    @property
    def is_damaged(self) -> bool:
        """Whether the file ends early, so that only a part of it could be read."""
        return any(fact.code in ("compression_damaged", "truncated") for fact in self.health)


@dataclass(frozen=True, slots=True)
class HostTime:
    """What the training threads did in a step; the rest of it is Python and other things."""

    waiting_ns: int
    """In sync points."""
    loading_ns: int
    """In the data loader."""
    launching_ns: int
    """In ops of torch and calls of the device's runtime."""


@dataclass(frozen=True, slots=True)
class Step:
    """One `ProfilerStep#n`, or the whole window where there is none."""

    name: str
    start_ns: int
    duration_ns: int
    """Length of the step on the host."""
    cold: bool
    sync_points: int
    wait_ns: int
    device_idle_ns: int | None
    idle_empty_ns: int | None
    gpu_lag_ns: int | None
    """How far the GPU work launched in the step ends after the step's end on the host."""
    copying_ns: int | None = None
    """Summed over the devices, as all device times: when a device did nothing but copy."""
    idle_by_cause: Mapping[str, int] = field(default_factory=dict)
    """In ns, together all of `device_idle_ns`; causes that took nothing are left out."""
    host: HostTime | None = None
    """None where a device was recorded without the calls of the host, or by a version that kept less."""
    saving: Saving | None = None
    """What the fix plan wins of this step; None where no device was recorded."""
    kernels: int | None = None
    """Launched in the step, wherever they ran; None where no launch was recorded."""
    launches: int | None = None
    """Calls that launched them."""
    gpu_duration_ns: int | None = None
    """Length of the step on the device, where the host runs ahead of it; else on the host. Idle and all
    shares are of this one. None where no device was recorded."""
    computing_ns: int | None = None
    """Summed over the devices, as the two below: when anything but communication and copies ran."""
    communication_exposed_ns: int | None = None
    """When communication ran, and nothing was computed beside it."""

    @property
    def length_ns(self) -> int:
        """The step as a reader means it: the device's, the host's where no device was recorded."""
        return self.duration_ns if self.gpu_duration_ns is None else self.gpu_duration_ns


@dataclass(frozen=True, slots=True)
class SyncTotals:
    """All sync points of a window, the profiler's own left out and listed apart."""

    count: int
    wait_ns: int
    wait_in_copy_ns: int
    wait_in_sync_ns: int
    explained_ns: int
    profiler_own_ns: tuple[int, ...]
    not_blocking_ns: int | None = None
    """Host time in calls of copies that did not block: with `wait_ns` it is that of all sites. None by a
    version that kept less."""


@dataclass(frozen=True, slots=True)
class CopyTotal:
    direction: str
    memory: str
    count: int
    bytes: int
    blocking: int
    wait_ns: int | None = None
    """Host time in those that blocked, with the synchronize calls after them."""
    device_ns: int | None = None
    """How long they took on the device."""
    exposed_ns: int | None = None
    """The part of `device_ns` during which the device computed nothing."""
    best_bytes_per_s: int | None = None
    """The speed of the fastest single copy."""


@dataclass(frozen=True, slots=True)
class DeviceIdle:
    device_ns: int
    empty_ns: int
    queued_ns: int
    by_cause: Mapping[str, int]
    """In ns, together all of `device_ns`; causes that took nothing are left out."""


@dataclass(frozen=True, slots=True)
class IdlePlace:
    """A part of the idle with an empty queue: why, in what, and which wait let it happen."""

    cause: str
    idle_ns: int
    place: str
    """The label, user function or op that the host was in; "" if nothing was recorded there."""
    site: SiteIndex | None
    """For the cause `sync`: the site after which the device stayed dry."""
    drained_by: SiteIndex | None
    """The site during whose wait the device ran dry, whatever the cause is."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Device idle inside the steps: the sum over the devices, and each of them."""

    total: DeviceIdle
    by_device: Mapping[str, DeviceIdle]
    places: tuple[IdlePlace, ...]
    """Most idle first; not all of it is placed."""


@dataclass(frozen=True, slots=True)
class CodeShare:
    """What one label, module or function takes of the steps, over the whole window."""

    kind: CodeKind
    name: str
    """"" for device work that was launched inside none."""
    host_ns: int
    """Its own: without that of the ranges of its kind inside it."""
    device_ns: int
    launches: int
    count: int = 1
    """How many parts that do the same it stands for; their names differ by a number, and `name` has none."""


def fingerprint(rule: str, file: str, function: str, ops: tuple[str, ...], code: str = "") -> str:
    """A finding's name that outlives edits elsewhere in its file: 16 hex digits.

    Args:
        rule: Its code.
        file: As traces name it.
        function: What the line is in.
        ops: Innermost first.
        code: The text of the line; "" where it was not recorded. What a formatter changes doesn't count:
            blanks, the kind of quotes, a comment.
    """
    return _digest((rule, file, function, *ops, *([code_without_format(code)] if code else [])))


def code_without_format(code: str) -> str:
    """A line of a program as it stays when a formatter was at it: no text to show."""
    return "".join(_without_comment(code).split()).replace("'", '"')


def _without_comment(code: str) -> str:
    """A line of a program up to its comment; a `#` in a string begins none."""
    if "#" not in code:
        return code
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                return code[: token.start[1]]
            if token.type == tokenize.ERRORTOKEN:
                # A string that is open here. From Python 3.12 on it raises.
                break
    except (tokenize.TokenError, SyntaxError):
        # The line is a part of something longer, and what was read of it had no comment.
        return code
    return code


def disambiguated(fingerprints: Iterable[str]) -> tuple[str, ...]:
    """The same fingerprints with no two alike: the first keeps its own, the n-th has its number in it.

    Findings come in the order of their lines. Alike are two that stand in lines of the same text,
    or whose text is not known: they keep their names wherever their function moves to.
    """
    seen: Counter[str] = Counter()
    distinct = []
    for name in fingerprints:
        distinct.append(_digest((name, str(seen[name]))) if seen[name] else name)
        seen[name] += 1
    return tuple(distinct)


def _digest(parts: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


_SUPPRESSION = re.compile(r"#\s*tbprof:\s*ignore(?:\[(?P<codes>[\w\s,]*)\])?\s*(?P<reason>.*)")


def suppression(line: str, rule: str) -> str | None:
    """Why a line of a program asks a rule to be silent about it; None where it does not.

    The line ends in `# tbprof: ignore[SYN01] reason`, with several codes or, without brackets,
    for every rule. The reason may be empty.
    """
    found = _SUPPRESSION.search(line)
    if found is None:
        return None
    codes = found["codes"]
    if codes is not None and rule not in (code.strip() for code in codes.split(",")):
        return None
    return found["reason"].strip()
