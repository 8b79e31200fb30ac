"""Where sync points and copies come from."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from tbprof.records import dataclass

PredictedKind: TypeAlias = Literal["scalar_read", "control_flow", "dynamic_shape", "host_read", "upload"]

SpanKind: TypeAlias = Literal["launch", "copy_call", "sync_call", "kernel", "communication", "copy", "memset"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where in Python a site is. Not `exact`: `line` is that of the enclosing `def`."""

    file: str
    line: int | None
    function: str
    exact: bool
    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A bar of a drawing. Its name is "" where it stands for several rows that lie close."""

    kind: SpanKind
    name: str
    start_ns: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class Instance:
    """The median episode of a site, enough to draw it when the raw trace is gone."""

    step: StepIndex | None
    """None outside every step."""
    host: tuple[Span, ...]
    """The launch before, the calls, the launch after: in time order."""
    device: tuple[Span, ...]
    """What the awaited device did around the calls, in time order."""
    op: Span | None = None
    """The outermost op around the calls; its kind is `launch`."""


@dataclass(frozen=True, slots=True)
class Site:
    """Sync points and copies of one origin, counted together."""

    direction: str
    memory: str
    calls: tuple[str, ...]
    ops: tuple[str, ...]
    """Innermost first."""
    source: Source | None
    label: str | None
    module: str | None
    count: int
    blocking: int
    per_step: tuple[int, ...]
    bytes: int
    wait_ns: int
    wait_net_ns: int
    explained_ns: int
    starve_ns: int
    instance: Instance | None
    device_ns: int | None = None
    """How long its copies took on the device."""
    exposed_ns: int | None = None
    """The part of `device_ns` during which the device computed nothing."""
    library: str | None = None
    """The library that `source` is in; None for the user's own."""
    callers: tuple[Source, ...] = ()
    """The frames around `source` at the median instance, from the inside out."""
    wait_per_step_ns: tuple[int, ...] = ()
    """The same as `wait_ns`, of each step; what lies in no step is not in it."""
    communication_wait_ns: int | None = None
    """The part of `explained_ns` during which the device communicated and computed nothing: how long it
    takes another rank decides."""
    op_before: str | None = None
    """The operator that most often ends before its own begins, where nothing else says where it is."""
    op_after: str | None = None
    """The one that then follows."""


@dataclass(frozen=True, slots=True)
class PredictedLine:
    """A line of a run without a GPU that would wait for one, recognized by what it calls.

    Nothing was measured: there is no time and no saving. Whether its tensors would be on the device
    is known from what the step did with them; a program may do something else where there is a GPU.
    """

    rule: str
    kind: PredictedKind
    source: Source
    """Always exact."""
    call: str
    """The function's own name in torch."""
    count: int
    """In one step."""
    known: Literal["seen", "read"]
    """How it is known that a GPU is waited for."""
    fingerprint: str


SiteIndex = NewType("SiteIndex", int)
"""Position among the sites of one window."""

StepIndex = NewType("StepIndex", int)
"""Position among the steps of one window; not the number that the profiler gave the step."""

FindingIndex = NewType("FindingIndex", int)
"""Position among the findings of one report."""

EventRow = NewType("EventRow", int)
"""Row of a trace's events; valid only together with the trace's cache key."""
