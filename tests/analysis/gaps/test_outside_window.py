"""A recording that is long before or after what the device does in it."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.judge.untypical_window import find_outside_window
from tbprof.judge.words import verdict_sentences
from tbprof.model import Verdict
from tbprof.views.opening import opening_of


def training(first_us: float, *, marked: bool = False, loads: bool = True) -> TraceBuilder:
    """A millisecond of kernels that begins at `first_us`, the data loader at work until then."""
    built = TraceBuilder()
    built.op("aten::empty", 0, 1)
    if loads:
        built.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, first_us - 10)
    if marked:
        built.step(0, 0, first_us + 1_000)
    for start in range(10):
        at = first_us + 100.0 * start
        built.launch(at, at + 2, runs=(at + 5, at + 100))
    return built


def with_plain_spaces(text: str) -> str:
    return text.replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_most_of_it_is_the_loader_that_makes_the_first_batch() -> None:
    report = training(9_000).report()

    assert isinstance(report.verdict, Verdict)
    assert report.verdict.case == "outside_window"
    said = opening_of(report)
    assert with_plain_spaces(said.verdict) == "The GPU's work is within 1.0 ms of a recording of 10.0 ms."
    assert with_plain_spaces(said.detail) == (
        "Of the 9.0 ms before that, the data loader takes 9.0 ms. Within the 1.0 ms the GPU is idle 4.5 %."
    )
    assert said.action.startswith("First: mark the steps with a schedule")


def test_what_the_host_does_there_may_be_unknown() -> None:
    verdict = training(9_000, loads=False).report().verdict
    assert isinstance(verdict, Verdict)
    _, detail = verdict_sentences(verdict)
    assert with_plain_spaces(detail).startswith("The 9.0 ms before that are in none of the figures.")


def test_a_short_start_and_marked_steps_leave_the_window_as_it_is() -> None:
    assert find_outside_window(training(900).facts()) is None
    assert find_outside_window(training(9_000, marked=True).facts()) is None
    assert find_outside_window(training(1_100).facts()) is not None
