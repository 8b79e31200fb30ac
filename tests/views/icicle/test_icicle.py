"""The flame graph's records."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.views.icicle_view import icicle_view


def training() -> TraceBuilder:
    built = TraceBuilder()
    for number in range(2):
        start = number * 100
        built.step(number, start, start + 100)
        built.frame("train.py(1): step", start, start + 90)
        built.frame("/usr/lib/python3/site-packages/transformers/trainer.py(9): train", start, start + 80)
        built.op("aten::mm", start + 15, start + 25)
        built.launch(start + 16, start + 18, runs=(start + 20, start + 50))
    return built


def test_times_are_those_of_a_step() -> None:
    view = icicle_view(training().facts(), "function")
    rows = [(node.name.rpartition(" ")[2], node.host_us, node.device_us, node.calls) for node in view.nodes]
    assert (view.kind, view.steps) == ("function", 2)
    assert rows == [("", 100, 30, 1), ("step", 90, 30, 1), ("train", 80, 30, 1), ("aten::mm", 10, 30, 1)]


def test_the_users_own_code_is_told_from_a_librarys_and_from_operators() -> None:
    view = icicle_view(training().facts(), "function")
    assert [node.is_own for node in view.nodes] == [False, True, False, False]


def test_what_was_not_recorded_is_named_and_not_offered() -> None:
    view = icicle_view(training().facts(), "label")
    assert view.kind == "function"
    missing = {choice.kind: choice.missing for choice in view.kinds if choice.missing}
    assert list(missing) == ["module", "label"]
    assert missing["label"].startswith("No labels were recorded")


def test_a_trace_of_nothing_has_no_flame_graph() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    view = icicle_view(built.facts(), "")
    assert (view.nodes, all(choice.missing for choice in view.kinds)) == ((), True)
