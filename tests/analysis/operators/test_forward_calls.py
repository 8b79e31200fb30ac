"""Which forward call autograd's calls belong to."""

from __future__ import annotations

from operator_scenes import facts_of
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operators import find_operators, forward_calls
from tbprof.trace.columns.arrays import NONE

OTHER, BACKWARD = 150, 200


def op(built: TraceBuilder, name: str, start: float, end: float, thread: int, **args: int) -> None:
    built.op(name, start, end, thread=thread)
    named = {"number": "Sequence number", "forward": "Fwd thread id"}
    built.events[-1]["args"] |= {named[key]: value for key, value in args.items()}


def joined(facts: Facts, *, with_engine: bool = True) -> dict[str, str | None]:
    """By the name of each call that autograd runs, its forward call's."""
    operators = find_operators(facts)
    names = [facts.trace.names[name] for name in facts.trace.slices.name[operators.rows].tolist()]
    is_backward, forward = forward_calls(facts.trace, operators, with_engine=with_engine)
    pairs = zip(names, is_backward.tolist(), forward.tolist(), strict=True)
    return {name: None if at == NONE else names[at] for name, is_autograds, at in pairs if is_autograds}


def test_two_threads_count_alike_and_are_told_apart() -> None:
    built = TraceBuilder()
    for number in (1, 2):
        op(built, f"main {number}", 100 * number, 100 * number + 50, MAIN, number=number, forward=0)
        op(
            built,
            f"backward {number}",
            100 * number + 500,
            100 * number + 550,
            BACKWARD,
            number=number,
            forward=1,
        )
    op(built, "other 7", 100, 150, OTHER, number=7, forward=0)
    op(built, "other 1", 200, 250, OTHER, number=1, forward=0)
    op(built, "backward 7", 900, 950, BACKWARD, number=7, forward=2)
    assert joined(facts_of(built)) == {
        "backward 1": "main 1",
        "backward 2": "main 2",
        "backward 7": "other 7",
    }


def test_of_several_forward_calls_of_a_number_autograd_recorded_the_latest() -> None:
    built = TraceBuilder()
    op(built, "zero_", -20, -10, MAIN, number=3, forward=0)
    op(built, "linear", 0, 100, MAIN, number=3, forward=0)
    op(built, "addmm", 10, 90, MAIN, number=3, forward=0)
    op(built, "AddmmBackward0", 200, 300, BACKWARD, number=3, forward=1)
    op(built, "mm", 210, 290, BACKWARD)
    assert joined(facts_of(built)) == {"AddmmBackward0": "addmm", "mm": "addmm"}
    assert joined(facts_of(built), with_engine=False) == {"AddmmBackward0": "zero_", "mm": "zero_"}


def test_further_functions_of_a_call_lie_between_its_number_and_the_next() -> None:
    built = TraceBuilder()
    op(built, "select", 0, 10, MAIN, number=3, forward=0)
    op(built, "mul_", 20, 30, MAIN, number=4, forward=0)
    op(built, "linear", 40, 50, MAIN, number=7, forward=0)
    for at, (name, number) in enumerate({"Linear": 7, "CopySlices": 6, "AsStrided": 5, "Mul": 4}.items()):
        op(built, name, 100 + 20 * at, 110 + 20 * at, BACKWARD, number=number, forward=1)
    op(built, "Earlier", 300, 310, BACKWARD, number=2, forward=1)
    assert joined(facts_of(built)) == {
        "Linear": "linear",
        "CopySlices": "mul_",
        "AsStrided": "mul_",
        "Mul": "mul_",
        "Earlier": None,
    }


def test_what_the_engine_does_around_a_function_is_left_out_where_torch_leaves_it_out() -> None:
    built = TraceBuilder()
    op(built, "linear", 0, 100, MAIN, number=3, forward=0)
    op(built, "autograd::engine::evaluate_function: A", 200, 300, BACKWARD, number=3, forward=1)
    op(built, "AddmmBackward0", 210, 250, BACKWARD, number=3, forward=1)
    op(built, "add_", 260, 290, BACKWARD)
    assert len(joined(facts_of(built))) == 3
    assert joined(facts_of(built), with_engine=False) == {"AddmmBackward0": "linear"}


def test_a_forward_call_that_was_not_recorded_is_not_known() -> None:
    built = TraceBuilder()
    op(built, "AddmmBackward0", 200, 300, BACKWARD, number=3, forward=1)
    op(built, "torch::autograd::AccumulateGrad", 400, 500, BACKWARD)
    assert joined(facts_of(built)) == {"AddmmBackward0": None, "torch::autograd::AccumulateGrad": None}
