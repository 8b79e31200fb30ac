"""Each distinct thing has one number, in the order in which it was met."""

from __future__ import annotations

from tbprof.trace.importers.kineto.events.category_args import SEPARATOR
from tbprof.trace.importers.kineto.events.event_args import LabelArgs
from tbprof.trace.importers.kineto.events.events import Label
from tbprof.trace.importers.kineto.interning import LaneTable, NameTable, TextTable


def test_names_count_from_0() -> None:
    table = NameTable()

    assert [table[name] for name in ("b", "a", "b", "")] == [0, 1, 0, 2]
    assert tuple(table) == ("b", "a", "")


def test_texts_of_a_row_have_one_number_together() -> None:
    names = NameTable()
    table = TextTable(names, 2)

    rows = [b"[1, 2]", b'"float"'], [b"[1, 2]", b""], [b"", b"null"], [b"[1, 2]", b'"float"']
    assert table.numbers([SEPARATOR.join(row) for row in rows]).tolist() == [0, 1, -1, 0]

    shapes, types = table.names_by_field().tolist()
    assert [tuple(names)[number] for number in shapes] == ["[1,2]", "[1,2]"]
    assert types == [names["float"], -1]


def test_a_row_with_a_separator_too_many_has_no_texts() -> None:
    table = TextTable(NameTable(), 2)

    assert table.numbers([b'"a\0b"' + SEPARATOR + b"[1]"]).tolist() == [-1]


def test_a_thread_is_the_same_as_int_and_as_string() -> None:
    table = LaneTable()

    assert [table[place] for place in ((0, "stream 7"), (5, 5), ("5", "5"), (5, "5"))] == [0, 1, 1, 1]
    assert table.places() == (("0", "stream 7"), ("5", "5"))


def test_the_last_name_of_a_thread_counts_and_other_labels_do_not() -> None:
    table = LaneTable()
    table[5, 5]
    table.name(
        [
            Label("thread_name", 5, "5", LabelArgs("thread 5 (pt_main_thread)")),
            Label("thread_name", 5, 5, LabelArgs("thread 5 (pt_autograd_0) ")),
            Label("process_name", 5, 5, LabelArgs("python3")),
            Label("thread_name", 5, 5, None),
            Label("thread_name", 6, 6, LabelArgs("not met")),
        ]
    )

    assert table.thread_names["5", "5"] == "thread 5 (pt_autograd_0)"
