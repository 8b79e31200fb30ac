"""What is said first of a recording that is odd: its case with its figures, and the first action."""

from __future__ import annotations

from odd_recordings import (
    exchange_after_a_start,
    iterations_after_a_start,
    launching_thread_without_operators,
    training,
)
from trace_builder import TraceBuilder

from tbprof.views.opening import Opening, opening_of


def said_of(built: TraceBuilder) -> tuple[str, Opening]:
    """The case, and the opening with plain spaces."""
    report = built.report()
    assert report.verdict is not None
    opening = opening_of(report)
    texts = (opening.verdict, opening.detail, opening.action)
    return report.verdict.case, Opening(*(text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in texts))


def rules_of(built: TraceBuilder) -> list[str]:
    """The rules with a finding of medium or more, worst first."""
    return [one.rule for one in built.report().findings if one.severity not in ("low", "info")]


def test_iterations_that_are_all_there_have_their_own_cause_whatever_lies_before_them() -> None:
    case, said = said_of(iterations_after_a_start())
    assert case == "launch_bound"
    assert said.verdict == (
        "The GPU is idle 98 % of the window, 97 % because the host launches kernels more slowly than the GPU"
        " runs them."
    )
    assert said.detail.endswith("The GPU's work is within 13.9 ms of a recording of 43.9 ms.")
    assert said.action.startswith("First: launch fewer kernels")


def test_two_turns_are_no_loop_that_is_known_to_go_on() -> None:
    case, said = said_of(iterations_after_a_start(turns=2))
    assert case == "outside_window"
    assert said.detail.count("of a recording of") == 0


def test_an_exchange_has_its_cause_with_other_ranks_whatever_lies_before_it() -> None:
    case, said = said_of(exchange_after_a_start())
    assert case == "communication"
    assert said.verdict.startswith("The GPU spends 97 % of the window in communication")
    assert "within 2.0 ms of a recording of 6.0 ms" in said.detail
    assert said.action.startswith("First: find the late rank")


def test_no_cause_is_claimed_of_a_thread_that_recorded_no_operators() -> None:
    built = launching_thread_without_operators()
    case, said = said_of(built)
    assert case == "host_unrecorded"
    assert said.verdict == (
        "The GPU is idle 18 % of a step, 15 % because the host launches late; what it does meanwhile was not "
        "recorded."
    )
    assert said.action == (
        "First: record the operators of the threads that launch, too: for 0.3 ms of 2.2 ms nobody knows what "
        "the host does."
    )
    assert "LCH02" not in [finding.rule for finding in built.report().findings]
    assert "no_launching_operators" in [fact.code for fact in built.report().trace.health]


def test_a_range_of_the_thread_says_what_it_does_as_operators_do() -> None:
    built = launching_thread_without_operators()
    built.annotation("evaluate", 2_015, 2_190)
    assert said_of(built)[0] == "host_bound"


def test_with_operators_the_host_is_to_blame() -> None:
    case, said = said_of(training())
    assert case == "host_bound"
    assert said.action.startswith("First: shorten the host's own work")
    assert rules_of(training()) == ["LCH02"]
