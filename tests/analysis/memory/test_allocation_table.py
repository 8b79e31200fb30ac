"""Allocations by operator: torch-tb-profiler's own test case, what it leaves out, and recorded traces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.allocation_table import MemoryRow, memory_rows
from tbprof.analysis.figures.memory_blocks import change_bytes, window_memory
from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.reading import read_trace

OPERATORS = (
    ("aten::to", 10, 20),
    ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, 280),
    ("aten::to", 200, 260),
    ("aten::nll_loss_backward", 340, 410),
    ("aten::to", 510, 660),
    ("aten::copy_", 520, 620),
    ("aten::liner", 700, 800),
    ("aten::t", 705, 745),
    ("aten::transpose", 710, 740),
    ("aten::tranas_stride", 720, 730),
    ("aten::addmm", 750, 790),
    ("aten::to", 900, 1000),
)
ON_THE_CPU = ((90, 4), (150, 4), (200, 4), (450, 1_000_000), (729, 50), (746, 100), (749, -100))
ON_THE_GPU = (
    *((210, 4), (265, 4), (300, 4), (350, 10), (360, -10), (515, 100), (520, 100), (600, -100), (690, 100)),
    *((701, 100), (796, -100), (708, 100), (742, -100), (715, 50), (735, -50), (725, 50), (728, -50)),
    *((747, 20), (760, 30), (780, -30), (795, 10), (799, -10)),
)
"""`test_memory_view` of torch-tb-profiler: time in us and bytes."""

CLASSIC = {
    ("GPU 0", "aten::to"): (104, 104, 2, 104, 204, 3, 4),
    ("GPU 0", "aten::nll_loss_backward"): (0, 10, 1, 0, 10, 1, 1),
    ("GPU 0", "aten::copy_"): (0, 100, 1, 0, 100, 1, 1),
    ("GPU 0", "aten::addmm"): (0, 30, 1, 0, 30, 1, 1),
    ("GPU 0", "aten::tranas_stride"): (0, 50, 1, 0, 50, 1, 1),
    ("GPU 0", "aten::transpose"): (0, 50, 1, 0, 100, 2, 1),
    ("GPU 0", "aten::t"): (0, 100, 1, 0, 200, 3, 1),
    ("GPU 0", "aten::liner"): (20, 130, 3, 20, 360, 7, 1),
    ("CPU", "aten::to"): (4, 4, 1, 4, 4, 1, 4),
    ("CPU", "aten::liner"): (0, 100, 1, 50, 150, 2, 1),
    ("CPU", "aten::tranas_stride"): (50, 50, 1, 50, 50, 1, 1),
    ("CPU", "aten::transpose"): (0, 0, 0, 50, 50, 1, 1),
    ("CPU", "aten::t"): (0, 0, 0, 50, 50, 1, 1),
}
"""Its answer: increase, allocated bytes and allocations of its own, the same with inner ones, calls."""


def classic_scene() -> Facts:
    built = TraceBuilder()
    for name, start, end in OPERATORS:
        built.op(name, start, end)
    built.step(1, 50, 450)
    built.step(2, 500, 1000)
    for device, events in ((None, ON_THE_CPU), (0, ON_THE_GPU)):
        for at, size in events:
            built.memory(at, size, device=device)
    return facts_of(built)


def figures(row: MemoryRow) -> tuple[int | None, ...]:
    own = (row.self_increase_bytes, row.self_allocated_bytes, row.self_allocations)
    return (*own, row.increase_bytes, row.allocated_bytes, row.allocations, row.calls)


def rows_of(rows: Iterable[MemoryRow], device: str) -> list[MemoryRow]:
    return [row for row in rows if row.device == device]


def test_rows_are_those_of_the_classic_view_and_one_for_what_it_leaves_out() -> None:
    rows = memory_rows(classic_scene(), "name", in_steps=False)
    named = {(row.device, row.name): figures(row) for row in rows if row.name is not None}
    assert named == CLASSIC
    left_out = {row.device: row.self_increase_bytes for row in rows if row.name is None}
    assert left_out == {"GPU 0": 108, "CPU": 1_000_008}


def test_own_figures_of_all_rows_add_up_whatever_they_are_by() -> None:
    facts = classic_scene()
    for by in ("name", "shapes", "stack", "module", "label", "step"):
        rows = memory_rows(facts, by, in_steps=False)
        for device, events in (("GPU 0", ON_THE_GPU), ("CPU", ON_THE_CPU)):
            mine = rows_of(rows, device)
            assert sum(row.self_increase_bytes for row in mine) == sum(size for _, size in events)
            assert sum(row.self_allocations for row in mine) == sum(size > 0 for _, size in events)


def test_in_steps_what_lies_between_them_does_not_count() -> None:
    facts = classic_scene()
    by_step = rows_of(memory_rows(facts, "step", in_steps=True), "CPU")
    assert {row.name: row.self_increase_bytes for row in by_step} == {
        "ProfilerStep#1": 12,
        "ProfilerStep#2": 50,
    }
    by_name = rows_of(memory_rows(facts, "name", in_steps=True), "CPU")
    assert sum(row.self_increase_bytes for row in by_name) == 62


def test_a_call_inside_its_like_is_counted_once() -> None:
    built = TraceBuilder()
    built.op("aten::arange", 0, 100)
    built.op("aten::empty", 5, 10)
    built.op("aten::arange", 20, 90)
    built.memory(50, 512)
    (row,) = memory_rows(facts_of(built), "name", in_steps=False)
    assert (row.name, row.calls, row.increase_bytes, row.self_increase_bytes) == ("aten::arange", 2, 512, 512)


def test_a_row_says_what_it_holds_at_the_peak_and_at_the_end() -> None:
    built = TraceBuilder()
    built.op("aten::first", 0, 10)
    built.op("aten::second", 20, 30)
    for at, size, address in ((1, 100, 1), (21, 50, 2), (40, -100, 1)):
        built.memory(at, size, address=address)
    rows = {row.name: row for row in memory_rows(facts_of(built), "name", in_steps=False)}
    held = {name: (row.at_peak_bytes, row.kept_bytes) for name, row in rows.items()}
    assert held == {"aten::first": (100, 0), "aten::second": (50, 50), None: (0, 0)}


def test_rows_of_recorded_traces_add_up(traces: Path) -> None:
    for name in ("hta_df_index_memory", "h100_bert_small_infer", "mi300_normalization_cold"):
        facts = Facts(read_trace(next((traces / name).glob("*.gz")), tables=ALL_TABLES))
        rows = memory_rows(facts, "name", in_steps=False)
        for device in facts.once(window_memory):
            mine = rows_of(rows, device.curve.device)
            totals = device.curve.allocated_bytes
            changes = change_bytes(facts, device)
            change = totals[-1] - totals[0] + changes[0]
            assert sum(row.self_increase_bytes for row in mine) == change
            assert sum(row.self_allocations for row in mine) == (changes > 0).sum()
            assert sum(row.at_peak_bytes or 0 for row in mine) <= totals.max()
