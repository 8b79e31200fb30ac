"""By what operators are put together."""

from __future__ import annotations

from operator_scenes import rows_of
from trace_builder import TraceBuilder

from tbprof.analysis.figures.operator_grouping import Grouping

BACKWARD = 200


def training() -> TraceBuilder:
    """A module forward on the main thread, its backward on autograd's, and an optimizer."""
    built = TraceBuilder()
    built.step(1, 0, 500)
    built.frame("train.py(3): step", 0, 500)
    built.annotation("forward", 10, 100)
    built.frame("nn.Module: Linear_0", 20, 90)
    built.frame("<built-in method linear of object at 0x7f00>", 25, 85)
    forward(built, 30, 80, number=4)
    built.op("aten::addmm", 40, 70)
    built.launch(50, 55, runs=(60, 70))
    autograd(built, 120, 180, number=4)
    built.op("aten::mm", 130, 170, thread=BACKWARD)
    built.launch(140, 145, runs=(150, 170), thread=BACKWARD)
    built.op("aten::add_", 300, 350)
    built.launch(310, 315, runs=(320, 325))
    return built


def forward(built: TraceBuilder, start: float, end: float, *, number: int) -> None:
    built.op("aten::linear", start, end)
    built.events[-1]["args"] |= {"Sequence number": number, "Fwd thread id": 0}


def autograd(built: TraceBuilder, start: float, end: float, *, number: int) -> None:
    built.op("AddmmBackward0", start, end, thread=BACKWARD)
    built.events[-1]["args"] |= {"Sequence number": number, "Fwd thread id": 1}


def device_us(by: Grouping) -> dict[str, float]:
    rows = rows_of(training(), by).values()
    return {row.name: (row.device_self_ns or 0) / 1000 for row in rows}


def test_a_module_has_its_backward_pass() -> None:
    assert device_us("module") == {"Linear_0": 30, "": 5}


def test_a_label_has_the_backward_pass_of_what_it_marks() -> None:
    assert device_us("label") == {"forward": 30, "": 5}


def test_a_step_holds_what_every_thread_began_in_it() -> None:
    assert device_us("step") == {"ProfilerStep#1": 35}


def test_a_total_of_a_module_counts_nothing_twice() -> None:
    row = rows_of(training(), "module")["Linear_0"]
    assert (row.calls, row.host_total_ns, row.device_total_ns) == (4, 110_000, 30_000)


def test_a_stack_names_no_address_and_is_that_of_the_forward_pass() -> None:
    rows = rows_of(training(), "stack")
    expected = ("<built-in method linear of object>", "nn.Module: Linear_0", "train.py(3): step")
    assert {rows[name].stack for name in ("aten::linear", "aten::addmm", "aten::mm")} == {expected}
    assert rows["aten::add_"].stack == ("train.py(3): step",)


def test_an_operator_is_told_from_itself_by_its_shapes() -> None:
    built = TraceBuilder()
    for at, shapes in enumerate(([[2, 3]], [[4, 3]], [[2, 3]])):
        built.op(f"aten::relu{'_' * (shapes != [[2, 3]])}", 100 * at, 100 * at + 10)
        built.events[-1]["args"]["Input Dims"] = shapes
    rows = rows_of(built, "shapes")
    assert [(row.name, row.shapes, row.calls) for row in rows.values()] == [
        ("aten::relu", "[[2,3]]", 2),
        ("aten::relu_", "[[4,3]]", 1),
    ]
