"""The records of the page of memory from a window's facts."""

from __future__ import annotations

from collections import Counter

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.memory_blocks import (
    DeviceMemory,
    Holder,
    drawn_curve,
    holders_after,
    memory_peak,
    window_memory,
)
from tbprof.records import dataclass
from tbprof.texts.memory import MISSING, HeldFigures, peak_headline, peak_note
from tbprof.trace.columns.arrays import NONE
from tbprof.views.memory import (
    MemoryDevice,
    MemoryHolder,
    MemoryLine,
    MemoryMoment,
    MemoryStep,
    MemoryView,
)
from tbprof.views.steady import row_of

_MOST_HOLDERS = 30
_ENGINE = "autograd::engine::evaluate_function: "
"""Before the name of what autograd's engine runs."""
_NOTHING = MemoryView(MISSING, "", "", 0, (), (), "", None, None)


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """What of the window is asked for; in ns since its first event."""

    device: str = ""
    """The device; where that has no memory here, the first one is shown."""
    from_ns: int | None = None
    to_ns: int | None = None
    """None, or an end before the start: the whole window."""
    at_ns: int | None = None
    """The moment of the holders; None: the peak of the device."""


def memory_view(facts: Facts, question: MemoryQuestion) -> MemoryView:
    """The memory of one device; `facts` with `MEMORY_TABLES`."""
    devices = facts.once(window_memory)
    if not devices:
        return _NOTHING
    chosen = next((one for one in devices if one.curve.device == question.device), devices[0])
    peak = _moment(facts, chosen, chosen.curve.peak)
    moment = (
        peak if question.at_ns is None else _moment(facts, chosen, _event_at(facts, chosen, question.at_ns))
    )
    figures = _figures(facts, chosen, peak)
    return MemoryView(
        missing="",
        headline=peak_headline(figures),
        about=peak_note(figures),
        span_ns=_span_ns(facts),
        steps=_steps(facts),
        devices=tuple(_device(facts, one) for one in devices),
        device=chosen.curve.device,
        line=_line(facts, chosen, question),
        moment=moment,
    )


def _span_ns(facts: Facts) -> int:
    ends = [int(facts.trace.slices.end_ns.max(initial=facts.origin_ns))]
    ends += [int(one.curve.time_ns[-1]) for one in facts.once(window_memory)]
    return max(ends) - facts.origin_ns


def _steps(facts: Facts) -> tuple[MemoryStep, ...]:
    steps = facts.steps
    if not steps.recorded:
        return ()
    start, end = ((times - facts.origin_ns).tolist() for times in (steps.start_ns, steps.end_ns))
    return tuple(map(MemoryStep, steps.names, start, end))


def _device(facts: Facts, memory: DeviceMemory) -> MemoryDevice:
    return row_of(MemoryDevice, memory_peak(facts, memory.curve))


def _line(facts: Facts, memory: DeviceMemory, question: MemoryQuestion) -> MemoryLine:
    from_ns, to_ns = question.from_ns or 0, question.to_ns or 0
    if to_ns <= from_ns:
        from_ns, to_ns = 0, _span_ns(facts)
    drawn = drawn_curve(memory.curve, from_ns + facts.origin_ns, to_ns + facts.origin_ns)
    return MemoryLine(
        from_ns=from_ns,
        to_ns=to_ns,
        at_ns=tuple((drawn.at_ns - facts.origin_ns).tolist()),
        low_bytes=tuple(drawn.low_bytes.tolist()),
        high_bytes=tuple(drawn.high_bytes.tolist()),
        reserved_bytes=None if drawn.reserved_bytes is None else tuple(drawn.reserved_bytes.tolist()),
    )


def _event_at(facts: Facts, memory: DeviceMemory, at_ns: int) -> int:
    """The last event at or before that instant, the first one where there is none."""
    after = int(memory.curve.time_ns.searchsorted(at_ns + facts.origin_ns, side="right"))
    return max(after - 1, 0)


def _moment(facts: Facts, memory: DeviceMemory, event: int) -> MemoryMoment:
    curve = memory.curve
    allocated = int(curve.allocated_bytes[event])
    holders = holders_after(facts, memory, event)
    shown, more = holders[:_MOST_HOLDERS], holders[_MOST_HOLDERS:]
    is_known = memory.blocks is not None and curve.is_recorded
    step = int(facts.steps.index_of(curve.time_ns[event : event + 1])[0])
    return MemoryMoment(
        at_ns=int(curve.time_ns[event]) - facts.origin_ns,
        is_peak=event == curve.peak,
        step=facts.steps.names[step] if facts.steps.recorded and step != NONE else None,
        allocated_bytes=allocated,
        reserved_bytes=None if curve.reserved_bytes is None else int(curve.reserved_bytes[event]),
        before_bytes=max(allocated - sum(one.bytes for one in holders), 0) if is_known else None,
        holders=tuple(_holder(one, allocated) for one in shown),
        more_holders=len(more),
        more_bytes=sum(one.bytes for one in more),
    )


def _holder(holder: Holder, allocated: int) -> MemoryHolder:
    source = holder.source
    return MemoryHolder(
        operator=holder.operator,
        module=holder.module,
        file=None if source is None else source.file,
        line=None if source is None else source.line,
        function=None if source is None else source.function,
        bytes=holder.bytes,
        blocks=holder.blocks,
        share=holder.bytes / allocated if allocated else 0.0,
    )


def _figures(facts: Facts, memory: DeviceMemory, peak: MemoryMoment) -> HeldFigures:
    largest = _largest_operator(holders_after(facts, memory, memory.curve.peak))
    reserved = memory.curve.reserved_bytes
    return HeldFigures(
        device=memory.curve.device,
        peak_bytes=peak.allocated_bytes,
        is_recorded=memory.curve.is_recorded,
        step=peak.step,
        reserved_bytes=None if reserved is None else int(reserved.max()),
        before_bytes=peak.before_bytes,
        largest=None if largest is None else largest[0],
        largest_bytes=0 if largest is None else largest[1],
        events=len(memory.curve.events),
    )


def _largest_operator(holders: tuple[Holder, ...]) -> tuple[str, int] | None:
    """The one that allocated most, wherever it was called, with its bytes."""
    held = Counter[str]()
    for one in holders:
        if one.operator is not None:
            held[one.operator.removeprefix(_ENGINE)] += one.bytes
    return max(held.items(), key=lambda item: item[1], default=None)
