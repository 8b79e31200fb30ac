"""One episode of a site as it is drawn: two lanes, and numbered remarks on what happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tbprof.model import Instance, Span, SpanKind, Step
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import duration
from tbprof.texts.timeline import meanwhile_sentence
from tbprof.views.steady import row_of, us

_LEAST_OWN_WORK = 0.5
"""The share of the time in which the device is dry: below it, the host's launching is as much of the cost."""


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A bar of a drawing, in us from the first event of the trace."""

    kind: SpanKind
    name: str
    start_us: float
    duration_us: float


@dataclass(frozen=True, slots=True)
class InstanceRemark:
    """What happened from `start_us` on; its number in the drawing is its place in the list."""

    lane: Literal["host", "device"]
    start_us: float
    text: str


@dataclass(frozen=True, slots=True)
class InstanceView:
    """The median episode of a site, drawn as two lanes: host over GPU."""

    step: str | None
    op: SpanRow | None
    host: tuple[SpanRow, ...]
    device: tuple[SpanRow, ...]
    remarks: tuple[InstanceRemark, ...]


def instance_view(instance: Instance, steps: tuple[Step, ...], *, is_blocking: bool) -> InstanceView:
    """The drawing of an episode; `is_blocking` says whether the host waits in it."""
    return InstanceView(
        step=None if instance.step is None else steps[instance.step].name,
        op=None if instance.op is None else _span(instance.op),
        host=tuple(_span(span) for span in instance.host),
        device=tuple(_span(span) for span in instance.device),
        remarks=tuple(_remarks(instance, is_blocking=is_blocking)),
    )


def _span(span: Span) -> SpanRow:
    return row_of(SpanRow, span)


def _remarks(instance: Instance, *, is_blocking: bool) -> Iterator[InstanceRemark]:
    calls = [span for span in instance.host if span.kind in ("copy_call", "sync_call")]
    if not calls:
        return
    called_us = us(sum(call.duration_ns for call in calls))
    start_us = us(calls[0].start_ns)
    if not is_blocking:
        yield InstanceRemark("host", start_us, returned_sentence(called_us))
        return
    explained_us = us(sum(_overlap_ns(call, instance.device) for call in calls))
    spoken = [span for span in instance.device if span.kind == "communication"]
    communicating_us = us(sum(_overlap_ns(call, spoken) for call in calls))
    yield InstanceRemark("host", start_us, waited_sentence(called_us, explained_us, communicating_us))
    yield from _afterwards(instance, max(_end_ns(call) for call in calls))


def _afterwards(instance: Instance, returned_ns: int) -> Iterator[InstanceRemark]:
    """What the device had after the host returned; nothing where no later work was recorded."""
    later = [span.start_ns for span in instance.device if span.start_ns >= returned_ns]
    if any(span.start_ns < returned_ns < _end_ns(span) for span in instance.device):
        yield InstanceRemark("device", us(returned_ns), still_busy_sentence())
    elif later:
        before = [_end_ns(span) for span in instance.device if span.start_ns < returned_ns]
        dry_ns = max(before, default=returned_ns)
        idle_ns = min(later) - dry_ns
        yield InstanceRemark("device", us(dry_ns), dry_sentence(us(idle_ns)))
        launches = [span.start_ns for span in instance.host if span.start_ns >= returned_ns]
        own_ns = min(launches, default=returned_ns) - returned_ns
        if own_ns >= _LEAST_OWN_WORK * idle_ns:
            yield InstanceRemark("host", us(returned_ns), own_work_sentence(us(own_ns)))


def _overlap_ns(call: Span, device: Sequence[Span]) -> int:
    """The part of a call in which the device worked; the device's spans may overlap each other."""
    covered, at = 0, call.start_ns
    for span in sorted(device, key=lambda span: span.start_ns):
        start, end = max(span.start_ns, at), min(_end_ns(span), _end_ns(call))
        if end > start:
            covered, at = covered + end - start, end
    return covered


def _end_ns(span: Span) -> int:
    return span.start_ns + span.duration_ns


def waited_sentence(wait_us: float, explained_us: float, communicating_us: float) -> str:
    """How long the host waited, and what the GPU did meanwhile."""
    return (
        f"The host waits {duration(wait_us)}. {meanwhile_sentence(wait_us, explained_us, communicating_us)}"
    )


def returned_sentence(call_us: float) -> str:
    """A sentence on a copy that nobody waits for."""
    return f"The call returns after {duration(call_us)}: it does not hold up the host."


def still_busy_sentence() -> str:
    return "When the call returns, the GPU still has work: it does not run dry."


def dry_sentence(idle_us: float) -> str:
    """The stretch from the last work before the call's return to the first work after it."""
    return f"Nothing is queued any more: the GPU does nothing for {duration(idle_us)}. This is the cost."


def own_work_sentence(work_us: float) -> str:
    """The stretch from the call's return to the host's next launch."""
    return f"Meanwhile the host does other work for {duration(work_us)} before it launches again."
