"""The records of the page of memory."""

from __future__ import annotations

from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.memory_blocks import MOST_VALUES
from tbprof.views.memory_view import MemoryQuestion, memory_view


def two_steps() -> Facts:
    """A block that stays, one that dies in its step, and one of the CPU's."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.step(2, 100, 200)
    built.op("aten::weights", 10, 20)
    built.op("aten::activations", 110, 130)
    for at, size, address, allocated in ((15, 600, 1, 1600), (115, 400, 2, 2000), (150, -400, 2, 1600)):
        built.memory(at, size, address=address, totals=(allocated, 4096))
    built.memory(30, 8, device=None, address=7, totals=(8, 0))
    return facts_of(built)


def test_the_peak_is_said_first_with_who_holds_it() -> None:
    view = memory_view(two_steps(), MemoryQuestion())
    assert [device.device for device in view.devices] == ["GPU 0", "CPU"]
    assert view.headline == (
        "GPU 0 holds at most 2.0\u202fkB, in ProfilerStep#2: 600\u202fB of it from `aten::weights` "
        "and 1.0\u202fkB from before the recording."
    )
    assert view.moment is not None
    assert (view.moment.is_peak, view.moment.at_ns, view.moment.before_bytes) == (True, 115_000, 1000)
    held = [(one.operator, one.bytes, one.share) for one in view.moment.holders]
    assert held == [("aten::weights", 600, 0.3), ("aten::activations", 400, 0.2)]


def test_another_moment_and_another_device_are_asked_for() -> None:
    facts = two_steps()
    moment = memory_view(facts, MemoryQuestion(at_ns=160_000)).moment
    assert moment is not None
    assert [one.operator for one in moment.holders] == ["aten::weights"]
    assert (moment.at_ns, moment.step, moment.allocated_bytes) == (150_000, "ProfilerStep#2", 1600)
    cpu = memory_view(facts, MemoryQuestion(device="CPU"))
    assert (cpu.device, cpu.line is not None and cpu.line.high_bytes) == ("CPU", (8,))
    assert memory_view(facts, MemoryQuestion(device="GPU 7")).device == "GPU 0"


def test_a_part_of_the_curve_begins_with_what_was_there() -> None:
    line = memory_view(two_steps(), MemoryQuestion(from_ns=50_000, to_ns=120_000)).line
    assert line is not None
    assert list(zip(line.at_ns, line.high_bytes, strict=True)) == [(50_000, 1600), (115_000, 2000)]
    assert line.reserved_bytes == (4096, 4096)


def test_a_curve_of_many_events_keeps_its_highest_and_lowest_value() -> None:
    built = TraceBuilder()
    built.op("aten::all", 0, 20_000)
    for at in range(10_000):
        total = 9_000 if at == 7_777 else 100 + at % 2
        built.memory(1 + at, 1, address=at, totals=(total, total))
    facts = facts_of(built)
    line = memory_view(facts, MemoryQuestion()).line
    assert line is not None
    assert len(line.at_ns) == MOST_VALUES
    assert (max(line.high_bytes), min(line.low_bytes)) == (9_000, 100)
    closer = memory_view(facts, MemoryQuestion(from_ns=7_777_500, to_ns=7_778_500)).line
    assert closer is not None
    assert closer.high_bytes == (100, 9_000)


def test_without_allocations_it_says_how_to_record_them() -> None:
    built = TraceBuilder()
    built.op("aten::mm", 0, 10)
    view = memory_view(facts_of(built), MemoryQuestion())
    assert "profile_memory=True" in view.missing
    assert (view.line, view.moment, view.devices) == (None, None, ())
