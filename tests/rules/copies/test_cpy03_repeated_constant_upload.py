"""CPY03: the same bytes seem to be copied to the device in each step."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from check_cases import CheckCases
from hook_scenes import found_with, recorded, the_audit
from rule_scenes import found
from scenes import upload
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS

LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def training(what: Callable[[TraceBuilder, float], None], *, steps: int = 5) -> TraceBuilder:
    """Steps of 1000 us: the loader, the batch of 5 MB, a kernel, and at 300 `what`."""
    built = TraceBuilder()
    for number in range(steps):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.annotation(LOADER, start, start + 10)
        upload(built, start + 20, wait=100, size_bytes=5_000_000)
        built.launch(start + 150, start + 155, runs=(start + 160, start + 250))
        what(built, start + 300)
        built.launch(start + 800, start + 805, runs=(start + 810, start + 910))
    return built


def move_mean(built: TraceBuilder, at: float, size_bytes: int = 12) -> None:
    """A table that goes up within an op of its own."""
    built.op("aten::sub", at - 1, at + 110)
    upload(built, at, wait=100, size_bytes=size_bytes)


def test_the_same_size_after_the_step_began_to_compute_is_found() -> None:
    (finding,) = found(training(move_mean), "CPY03")

    assert (finding.removal, finding.confidence, finding.count) == ("hoist", "low", 5)
    assert finding.numbers() == {"bytes": 60, "copy_bytes": 12, "proven": 0}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 5 * (111_000 + LINE_NS)


def test_the_batch_is_silent() -> None:
    assert found(training(lambda built, at: built.op("aten::add", at, at + 1)), "CPY03") == []


def test_sizes_that_differ_are_no_constant() -> None:
    built = training(lambda built, at: move_mean(built, at, size_bytes=int(at)))
    assert found(built, "CPY03") == []


@pytest.mark.parametrize(("steps", "count"), [(3, 0), (4, 1)])
def test_it_happens_in_80_percent_of_the_steps(steps: int, count: int) -> None:
    assert len(found(moving_in(steps), "CPY03")) == count


@pytest.mark.parametrize(("steps", "count"), [(2, 0), (3, 1)])
def test_two_steps_are_no_habit(steps: int, count: int) -> None:
    built = training(move_mean, steps=steps)
    assert len(found(built, "CPY03")) == count
    unchecked = {(row.rule, row.needs) for row in built.report().not_checked}
    assert (("CPY03", "three steps") in unchecked) == (count == 0)


def test_without_calls_of_a_loader_the_batch_is_not_known() -> None:
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
        upload(built, 1000 * number + 100, wait=100, size_bytes=12)
    unchecked = {(row.rule, row.needs) for row in built.report().not_checked}
    assert ("CPY03", "calls of a data loader") in unchecked


def test_a_list_as_an_index_is_known_for_what_it_is() -> None:
    def index(built: TraceBuilder, at: float) -> None:
        built.op("aten::index", at - 1, at + 110)
        upload(built, at, wait=100, size_bytes=12)

    (finding,) = found(training(index), "CPY03", "CPY05")
    assert finding.rule == "CPY05"


def test_what_the_hook_compared_is_proven_or_is_none() -> None:
    """Whatever the trace shows of the loader: the same bytes are the same bytes."""
    for same_bytes, confidences in ((True, ["high"]), (False, []), (None, ["low"])):
        batch = recorded(8, "to", ("cpu", "cuda:0"))
        mean = recorded(12, "to", ("cpu", "cuda:0"), same_bytes=same_bytes)
        findings = found_with(the_audit(batch, mean), training(move_named_mean), "CPY03")
        assert [finding.confidence for finding in findings] == confidences
        assert [finding.numbers()["proven"] for finding in findings] == [int(bool(same_bytes))] * len(
            findings
        )


def move_named_mean(built: TraceBuilder, at: float) -> None:
    """The same, as `Tensor.to` does it."""
    built.op("aten::to", at - 1, at + 110)
    upload(built, at, wait=100, size_bytes=12)


def test_without_a_loader_in_the_trace_the_hook_s_word_is_enough() -> None:
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
        move_named_mean(built, 1000 * number + 300)
    assert found(built, "CPY03") == []
    (finding,) = found_with(the_audit(recorded(12, "to", ("cpu", "cuda:0"), same_bytes=True)), built, "CPY03")
    assert (finding.confidence, finding.count) == ("high", 3)


def moving_in(steps: int) -> TraceBuilder:
    return training(lambda built, at: move_mean(built, at) if at < 1000 * steps else None)


CASES = (
    CheckCases(
        "CPY03",
        boundary="80 % of the steps",
        positive=lambda: training(move_mean),
        negative=lambda: training(lambda built, at: built.op("aten::add", at, at + 1)),
        least=lambda: moving_in(4),
        below=lambda: moving_in(3),
    ),
)
