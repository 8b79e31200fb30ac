"""The tables of the tab: column by column, with what is known of a row."""

from __future__ import annotations

import dataclasses

import pytest
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.errors import UsageError
from tbprof.views.tables.cells import Column, Table
from tbprof.views.tables.pages import compared_view, details_of, page_of
from tbprof.views.tables.screen import TableView
from tbprof.views.tables.viewing import first_columns, table_view


@pytest.fixture(scope="module")
def facts() -> Facts:
    """Two steps, each with a large kernel within two operators, and a short one; one more outside of them."""
    built = TraceBuilder()
    for number in range(2):
        start = 1000 * number
        built.step(number, start, start + 900)
        built.frame("train.py(7): forward", start, start + 800)
        built.op("aten::linear", start + 10, start + 60)
        built.op("aten::mm", start + 20, start + 50)
        built.launch(
            start + 25, start + 30, runs=(start + 40, start + 340), name="void at::native::gemm<float>(int)"
        )
        built.op("aten::add", start + 100, start + 120)
        built.launch(start + 105, start + 110, runs=(start + 400, start + 403), name="add_kernel")
    built.op("aten::add", 2500, 2520)
    built.launch(2505, 2510, runs=(2600, 2603), name="add_kernel")
    return facts_of(built)


def column(view: TableView, key: str) -> tuple[object, ...]:
    (found,) = (one for one in view.columns if one.key == key)
    return found.texts or tuple(n if n is None else n / found.scale for n in found.numbers or ())


def test_a_page_holds_the_columns_in_which_something_is_known(facts: Facts) -> None:
    view = page_of(facts, "operators", "name", in_steps=True)
    assert column(view, "name") == ("aten::mm", "aten::add", "aten::linear")
    assert column(view, "device_total_us") == (600, 6, 600)
    assert not {"shapes", "flops", "stack"} & {one.key for one in view.columns}
    assert view.headline == "`aten::mm` takes 99\u202f% of the GPU's time."
    assert (view.scope, view.marks_steps, view.count, view.device_us) == ("steps", True, 3, 606)
    assert page_of(facts, "operators", "name", in_steps=False).device_us == 609


def test_what_was_not_recorded_is_not_offered_and_asked_for_by_name(facts: Facts) -> None:
    view = page_of(facts, "operators", "shapes", in_steps=True)
    assert view.by == "name"
    missing = {choice.by: choice.missing for choice in view.choices}
    assert "record_shapes=True" in missing["shapes"]
    assert missing["stack"] == missing["step"] == ""


def test_kernels_say_how_many_are_short(facts: Facts) -> None:
    view = page_of(facts, "kernels", "name", in_steps=True)
    assert view.headline.startswith("2 of 4 kernels run under 10 µs: 50\u202f% of the launches, 1.0\u202f%")
    assert column(view, "short_name") == ("gemm<float>", "add_kernel")
    assert view.histogram is not None
    assert [(one.below_us, one.calls) for one in view.histogram.bins if one.calls] == [(5, 2), (500, 2)]
    (sequence,) = view.sequences
    assert (sequence.kernels, sequence.count, sequence.saved_launches) == (
        ("gemm<float>", "add_kernel"),
        2,
        2,
    )
    assert (sequence.total_us, sequence.between_us) == (606, 120)


def test_a_longer_table_is_cut_and_its_length_is_told(facts: Facts) -> None:
    view = page_of(facts, "operators", "name", in_steps=True, most_rows=1)
    assert (view.count, column(view, "calls")) == (3, (2,))


def test_of_many_rows_only_the_figures_that_are_shown_come_first() -> None:
    columns = (
        Column("name", str, head="name", is_first=True),
        Column("calls", str, "count", head="calls", is_first=True),
        Column("min_us", str, "us", head="min"),
    )
    rows = tuple((f"kernel_{at}", at, 0.0005 * at) for at in range(5001))
    view = table_view(Table("kernels", "name", "", False, (), columns, rows), headline="")
    assert first_columns(dataclasses.replace(view, count=5000)).columns == view.columns
    name, calls, least = first_columns(view).columns
    assert (name.texts, calls.numbers) == (view.columns[0].texts, view.columns[1].numbers)
    assert (least.key, least.texts, least.numbers) == ("min_us", None, None)
    assert (view.columns[2].numbers or ())[:5] == (0, 0, 1, 2, 2)


def test_the_details_of_an_operator_are_those_of_all_its_calls(facts: Facts) -> None:
    found = details_of(facts, "operators", "name", 2, in_steps=True)
    assert found.name == "aten::linear"
    assert [(part.short_name, part.calls, part.device_us, part.share) for part in found.parts] == [
        ("gemm<float>", 2, 600, 1)
    ]
    assert [(code.file, code.line, code.calls, code.time_us) for code in found.code] == [
        ("train.py", 7, 2, 600)
    ]
    assert [(place.step, place.host_us, place.device_us) for place in found.places] == [
        (1, 50, 300),
        (0, 50, 300),
    ]


def test_the_details_of_a_kernel_name_the_operators_that_launch_it(facts: Facts) -> None:
    found = details_of(facts, "kernels", "", 0, in_steps=False)
    assert found.name == "void at::native::gemm<float>(int)"
    assert [(part.name, part.calls) for part in found.parts] == [("aten::mm", 2)]
    assert {facts.trace.names[facts.trace.slices.name[place.row]] for place in found.places} == {found.name}


def test_a_step_has_its_calls_in_all_operators(facts: Facts) -> None:
    found = details_of(facts, "operators", "step", 0, in_steps=True)
    assert {part.name for part in found.parts} == {"void at::native::gemm<float>(int)", "add_kernel"}


@pytest.mark.parametrize(("name", "row"), [("operators", 3), ("kernels", 2), ("others", 0)])
def test_what_is_not_there_is_refused(facts: Facts, name: str, row: int) -> None:
    with pytest.raises(UsageError):
        details_of(facts, name, "name", row, in_steps=True)


def test_two_windows_are_compared_row_by_row(facts: Facts) -> None:
    view = compared_view(facts, facts, "operators")
    assert set(column(view, "state")) == {"both", "rest"}
    assert set(column(view, "difference_us")) == {0}
    with pytest.raises(UsageError, match="no table of 'others'"):
        compared_view(facts, facts, "others")
