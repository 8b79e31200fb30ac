"""LCH06: Python outside of operators takes a large part of a step on a CPU."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from check_cases import CheckCases
from launch_scenes import pausing
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.judge.words import verdict_sentences


def on_host(python: float, *, code: str = "", loads: float = 0.0) -> TraceBuilder:
    """Three steps of 100 ms between two operators, with a pause for Python and one for the loader."""
    built = TraceBuilder()
    for number in range(3):
        start = 100_000.0 * number
        built.step(number, start, start + 100_000)
        built.op("aten::mm", start, start + 1_000)
        if loads:
            built.annotation("enumerate(DataLoader)#_Iter.__next__", start + 1_000, start + 1_000 + loads)
        if code:
            built.annotation(code, start + 1_000 + loads, start + 1_000 + loads + python)
        built.op("aten::mm", start + 1_000 + loads + python, start + 100_000)
    return built


def test_what_the_host_does_between_operators_is_found_and_named() -> None:
    (finding,) = found(on_host(30_000, code="augment"), "LCH06")
    assert (finding.severity, finding.removal, finding.count) == ("medium", "rewrite", 3)
    assert finding.numbers() == {
        "python_per_step_ns": 30_000_000,
        "most_in": "augment",
        "most_per_step_ns": 30_000_000,
    }
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 30_000_000


@pytest.mark.parametrize(
    "there",
    [
        lambda built: built.op("nccl:all_to_all", 10_000, 20_000),
        lambda built: built.annotation("gloo:all_reduce", 0, 300_000, thread=7),
    ],
    ids=["a program with a GPU", "an exchange on the CPU"],
)
def test_time_that_no_python_took_is_not_called_python(there: Callable[[TraceBuilder], None]) -> None:
    built = on_host(30_000)
    there(built)
    assert found(built, "LCH06") == []


def test_steps_without_an_operator_are_not_judged() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100_000)
    built.op("aten::mm", 200_000, 201_000)
    assert found(built, "LCH06") == []


def test_the_loader_is_not_python_of_the_step() -> None:
    (finding,) = found(on_host(30_000, loads=20_000), "LCH06")
    assert finding.numbers() == {"python_per_step_ns": 30_000_000, "most_in": ""}


def test_a_wait_for_other_ranks_is_not_python_of_the_step() -> None:
    built = on_host(30_000)
    for number in range(3):
        start = 100_000.0 * number
        built.annotation("gloo:all_reduce", start + 11_000, start + 31_000)
    (finding,) = found(built, "LCH06")
    assert finding.numbers()["python_per_step_ns"] == 10_000_000
    verdict, detail = verdict_sentences(built.report().verdict)
    assert verdict == "The step waits for communication: 20\u202f% of it, in collectives of the hosts."
    assert "tbprof job" in detail


@pytest.mark.parametrize(("python", "count"), [(4_999, 0), (5_000, 1)])
def test_less_than_5_percent_of_the_steps_is_silent(python: float, count: int) -> None:
    assert len(found(on_host(python), "LCH06")) == count
    passed = next(check for check in on_host(python).report().checks if check.rule == "LCH06")
    assert (passed.state, passed.numbers().get("python_per_step_ns")) == (
        ("failed", None) if count else ("passed", 4_999_000)
    )


@pytest.mark.parametrize(("pause", "severity"), [(500, "low"), (501, "medium")])
def test_what_calling_operators_takes_is_no_work_to_shorten(pause: float, severity: str) -> None:
    built = TraceBuilder()
    for number in range(3):
        start = 100_000.0 * number
        built.step(number, start, start + 100_000)
        for called in np.arange(start, start + 100_000, 1_000):
            built.op("aten::mm", called, called + 1_000 - pause)
    (finding,) = found(built, "LCH06")
    assert (finding.severity, finding.numbers()["python_per_step_ns"]) == (severity, pause * 100_000)


def test_a_device_that_worked_is_judged_by_its_idle() -> None:
    assert found(pausing(3_000), "LCH06") == []


CASES = (
    CheckCases(
        "LCH06",
        boundary="5 % of the steps",
        positive=lambda: on_host(30_000),
        negative=lambda: on_host(100),
        least=lambda: on_host(5_000),
        below=lambda: on_host(4_999),
    ),
)
