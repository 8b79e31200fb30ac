"""What of a window happened only once."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.rules.trace_health.trc01_cold_start import find_cold_start


def test_a_cold_step_is_told_by_its_row_and_left_out_of_the_median() -> None:
    built = TraceBuilder()
    built.op("aten::add", -5, -4)
    for number, (start, end) in enumerate([(0, 5000), (5000, 6000), (6000, 7200), (7200, 8200)]):
        built.step(number, start, end)
    facts = built.facts()
    found = find_cold_start(facts)
    names = [facts.trace.names[facts.trace.slices.name[row]] for row in found.step_rows.tolist()]
    assert names == ["ProfilerStep#0"]
    assert (found.first_step_ns, found.median_step_ns, found.loading_ns) == (5_000_000, 1_000_000, 0)


def test_without_steps_no_step_is_cold() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 102))
    found = find_cold_start(built.facts())
    assert (len(found.step_rows), found.median_step_ns) == (0, 100_000)
