"""LCH01: the kernels are too short for the host to keep up."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from launch_scenes import AUTOGRAD, hand_written_loss
from public_report import PublicReport
from rule_scenes import found
from scenes import gpu_bound, read_scalar
from trace_builder import TraceBuilder


def test_a_hand_written_loss_is_nine_kernels_of_4_us_launched_by_nine_ops() -> None:
    (finding,) = found(hand_written_loss(), "LCH01")

    assert (finding.severity, finding.removal, finding.confidence) == ("critical", "rewrite", "medium")
    assert (finding.count, finding.sites, finding.steps) == (27, (), (0, 1, 2))
    assert finding.numbers() == {
        "place": "loss",
        "kernels_per_step": 9.0,
        "median_kernel_ns": 4_000,
        "ops_per_step": 9.0,
        "idle_per_step_ns": 8_000 + 8 * 16_000,
        "graph_blockers": 0,
    }


def test_a_read_in_the_step_keeps_it_out_of_a_graph() -> None:
    built = hand_written_loss()
    for number in range(3):
        read_scalar(built, 1000 * number + 400, wait=100)
    (finding,) = found(built, "LCH01")
    assert finding.numbers()["graph_blockers"] == 1


def test_it_can_win_what_the_host_takes_for_its_launches_at_most() -> None:
    (finding,) = found(hand_written_loss(), "LCH01")
    assert finding.saving is not None
    assert finding.saving.floor_ns == 0
    assert finding.saving.ceiling_ns == 3 * 154_000


@pytest.mark.parametrize(("takes", "count"), [(9.999, 1), (10, 0)])
def test_a_kernel_of_10_us_is_not_short(takes: float, count: int) -> None:
    assert len(found(hand_written_loss(takes=takes, launched_every=20), "LCH01")) == count


@pytest.mark.parametrize(
    ("launched_every", "places"),
    [(21.5, ["loss"]), (21.499, ["loss", ""]), (20.15, ["loss", ""]), (20.14, [])],
)
def test_a_tenth_of_the_steps_is_too_much_however_long_the_kernels_are(
    launched_every: float, places: list[str]
) -> None:
    """8 before the loss, what its nine launches leave between them, that once more after, and 2 at first."""
    built = hand_written_loss(takes=10, launched_every=launched_every)
    assert [finding.numbers()["place"] for finding in found(built, "LCH01")] == places


def test_a_tenth_that_no_code_holds_alone_is_that_of_the_worst() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for index in range(20):
        at = 50.0 * index
        built.annotation(f"layer {index % 10}", at, at + 50)
        built.launch(at + 1, at + 5, runs=(at + 6, at + 40))
    places = [finding.numbers()["place"] for finding in found(built, "LCH01")]
    assert len(places) == 3


@pytest.mark.parametrize(("kernels", "count"), [(1000, 0), (1001, 1)])
def test_more_than_1000_kernels_a_step_are_many_whatever_their_length(kernels: int, count: int) -> None:
    built = TraceBuilder()
    built.step(1, 0, 20_000)
    built.annotation("model", 0, 20_000)
    for index in range(kernels):
        at = 13.5 * index
        built.launch(at, at + 1, runs=(at + 1, at + 13))
    assert len(found(built, "LCH01")) == count


@pytest.mark.parametrize(("launched_every", "count"), [(6, 1), (5.999, 0)])
def test_from_1_percent_of_the_steps_on_it_matters(launched_every: float, count: int) -> None:
    """Idle before the first of two kernels is 8, and between them what their launches leave."""
    built = hand_written_loss(2, takes=4, launched_every=launched_every)
    assert len(found(built, "LCH01")) == count


def test_a_device_with_enough_to_do_is_silent() -> None:
    assert found(gpu_bound(), "LCH01", "LCH02") == []


def test_kernels_of_autograd_are_those_of_the_backward_pass() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for index in range(30):
        at = 20.0 * index
        built.op("autograd::engine::evaluate_function: MulBackward0", at, at + 10, thread=AUTOGRAD)
        built.launch(at + 1, at + 3, runs=(at + 3, at + 7), thread=AUTOGRAD)
    (finding,) = found(built, "LCH01")
    assert finding.numbers()["place"] == "backward"


def test_code_without_a_name_is_found_and_has_none() -> None:
    (finding,) = found(hand_written_loss(label=""), "LCH01")
    assert (finding.numbers()["place"], finding.numbers()["median_kernel_ns"]) == ("", 4_000)
    assert finding.remedy.origin == "operator aten::mul"


def test_python_frames_slow_the_host_and_make_it_less_sure() -> None:
    built = hand_written_loss(label="")
    built.frame("train.py(12): loss_of", 0, 3000)
    (finding,) = found(built, "LCH01")
    assert (finding.numbers()["place"], finding.confidence) == ("train.py(12): loss_of", "low")


def test_where_another_cause_is_larger_it_is_at_most_low() -> None:
    """A step begins with a call of the loader that lasts longer than all the loss leaves idle."""
    built = hand_written_loss()
    for number in range(3, 6):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.annotation("enumerate(DataLoader)#_Iter.__next__", start, start + 800)
        built.launch(start + 800, start + 801, runs=(start + 801, start + 1000))
    (finding,) = found(built, "LCH01")
    assert finding.severity == "low"


@pytest.mark.parametrize(("pauses", "severity"), [(0, "critical"), (1, "medium")])
def test_where_the_host_does_other_things_for_longer_it_is_at_most_medium(pauses: int, severity: str) -> None:
    """Then LCH02 has more of the idle, and is to be told first."""
    built = hand_written_loss()
    for number in range(3, 3 + pauses):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.launch(start + 800, start + 801, runs=(start + 801, start + 1000))
    (finding,) = found(built, "LCH01")
    assert finding.severity == severity


def test_a_small_transformer_is_bound_by_its_launches(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for path in (traces / "h100_transformer_clean").glob("*.gz"):
        first = next(finding for finding in public_report(path).findings if finding.rule == "LCH01")
        assert (first.numbers()["place"], first.numbers()["kernels_per_step"]) == ("Self-Attention", 9.0)
        assert first.severity == "critical"


CASES = (
    CheckCases(
        "LCH01",
        boundary="10 us, from which on a kernel is not short",
        positive=lambda: hand_written_loss(),
        negative=lambda: gpu_bound(),
        least=lambda: hand_written_loss(takes=9.999, launched_every=20),
        below=lambda: hand_written_loss(takes=10, launched_every=20),
    ),
)
