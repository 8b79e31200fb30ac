"""What each row of a table adds to the difference of two windows."""

from __future__ import annotations

from typing import Any

import pytest
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.errors import NotComparable, UsageError
from tbprof.views.tables.cells import Table
from tbprof.views.tables.comparison import compare_tables, step_times
from tbprof.views.tables.kernels import kernels
from tbprof.views.tables.operators import operators
from tbprof.views.tables.pages import compared_view


def window(steps: int, **device_us: float) -> Facts:
    """Each step calls each operator once, whose kernel takes so long; one kernel of 3 us has no operator."""
    built = TraceBuilder()
    for number in range(steps):
        start = 1000 * number
        built.step(number, start, start + 900)
        for at, (name, us) in enumerate(device_us.items()):
            begin = start + 100 * at
            built.op(f"aten::{name}", begin, begin + 50)
            built.launch(begin + 5, begin + 9, runs=(begin + 10, begin + 10 + us), name=name)
        built.launch(start + 850, start + 852, runs=(start + 860, start + 863), name="alone")
    return facts_of(built)


def compared(before: Facts, after: Facts) -> tuple[Table, dict[str, dict[str, Any]]]:
    table = compare_tables(*(operators(one, "name", in_steps=False) for one in (before, after)))
    keys = [column.key for column in table.columns]
    return table, {row[0]: dict(zip(keys, row, strict=True)) for row in table.rows}


def test_the_differences_of_all_rows_are_that_of_the_windows() -> None:
    table, rows = compared(window(2, mm=50, relu=10), window(3, mm=20, gelu=12))
    assert (table.beside["us_before"], table.beside["us_after"]) == (63, 35)
    assert [*rows][:3] == ["aten::mm", "aten::gelu", "aten::relu"]
    assert [rows[name]["difference_us"] for name in rows] == [-30, 12, -10, 0]
    assert [rows[name]["state"] for name in rows] == ["both", "new", "gone", "both"]
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)
    assert (rows["aten::mm"]["calls_before"], rows["aten::relu"]["calls_after"]) == (1, 0)


def test_windows_that_take_equally_long_have_no_shares() -> None:
    _, rows = compared(window(1, mm=50), window(2, mm=50))
    assert {row["share"] for row in rows.values()} == {None}


@pytest.mark.parametrize(("table", "name"), [("operators", "aten::mm"), ("kernels", "mm")])
def test_with_idle_time_and_overlap_all_rows_add_up_to_the_steps(table: str, name: str) -> None:
    view = compared_view(window(2, mm=50, relu=10), window(3, mm=180, gelu=12), table)
    figures = {column.key: column.numbers or () for column in view.columns}
    assert (
        sum(us or 0 for us in figures["us_before"]) == sum(us or 0 for us in figures["us_after"]) == 900_000
    )
    assert plain(view.about).startswith("The mean of all steps is 0.9 ms before, 0.9 ms after; ")
    told = f"`{name}` takes 0.1 ms a step more. The device is idle for 0.1 ms a step less."
    assert plain(view.headline) == told


def test_operators_are_not_gone_where_none_was_recorded() -> None:
    alone = TraceBuilder()
    alone.kernel(10, 30, correlation=1)
    with pytest.raises(UsageError, match="the later of the two windows has no operators recorded"):
        compared(window(1, mm=50), facts_of(alone))


def test_a_window_that_marks_steps_and_one_that_marks_none_have_no_length_in_common() -> None:
    unmarked = TraceBuilder()
    unmarked.launch(5, 9, runs=(10, 30))
    assert step_times((window(2, mm=50), facts_of(unmarked)), in_steps=False) is None


def test_kernels_are_compared_by_their_names() -> None:
    sides = (kernels(one, "name", in_steps=False) for one in (window(1, mm=50), window(1, mm=40)))
    table = compare_tables(*sides)
    assert [row[0] for row in table.rows] == ["mm", "alone"]
    assert [row[-2] for row in table.rows] == [-10, 0]


def plain(text: str) -> str:
    """With spaces that may break."""
    return " ".join(text.split())


def without_device(*ops: tuple[str, float]) -> Facts:
    built = TraceBuilder()
    for at, (name, us) in enumerate(ops):
        built.op(name, 100 * at, 100 * at + us)
    return facts_of(built)


@pytest.mark.parametrize(("first", "having"), [(True, "earlier"), (False, "later")])
def test_a_window_with_a_device_is_not_compared_with_one_without(first: bool, having: str) -> None:
    windows = [window(1, mm=50), without_device(("aten::mm", 10))]
    with pytest.raises(NotComparable, match=f"only the {having} of the two windows has work of a GPU"):
        compared(*(windows if first else reversed(windows)))


def test_windows_without_a_device_are_compared_on_the_host() -> None:
    before, after = without_device(("aten::mm", 10), ("aten::add", 2)), without_device(("aten::mm", 30))
    table, rows = compared(before, after)
    assert plain(table.sentence) == "In operators on the host: 12 µs in the window before, 30 µs after."
    assert [rows[name]["difference_us"] for name in rows] == [20, -2]
    headline = compared_view(before, after, "operators").headline
    assert plain(headline) == "`aten::mm` takes 20 µs in the window more, on the host."


def test_kernels_of_windows_without_a_device_can_not_be_compared() -> None:
    sides = (kernels(without_device(("aten::mm", us)), "name", in_steps=False) for us in (10, 20))
    with pytest.raises(UsageError, match="kernels of windows without a device"):
        compare_tables(*sides)
