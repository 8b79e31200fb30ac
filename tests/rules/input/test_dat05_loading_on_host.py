"""DAT05: loading data takes a large part of the host's step."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from loader_scenes import SINGLE, WORKERS, loading
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.texts.figures.places import scope_of


def on_host(takes: float, *, name: str = SINGLE, first: float = 0.0) -> TraceBuilder:
    """Three steps of 100 ms, and one that takes `first` longer, all of it in the loader."""
    built = TraceBuilder()
    start = 0.0
    for number in range(4):
        spent = takes + (first if number == 0 else 0.0)
        built.step(number, start, start + 100_000 - takes + spent)
        built.annotation(name, start, start + spent)
        built.op("aten::mm", start + spent, start + 100_000 - takes + spent)
        start += 100_000 - takes + spent
    return built


def test_loading_beside_operators_of_the_host_is_found() -> None:
    (finding,) = found(on_host(40_000), "DAT05")
    assert (finding.severity, finding.removal, finding.confidence) == ("critical", "rewrite", "high")
    numbers = {"loading_per_step_ns": 40_000_000, "share": 0.4, "place": "", "fixed_as": "DAT02"}
    assert finding.numbers() == numbers
    assert finding.remedy.fixed_as == "DAT02"
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 4 * 40_000_000)


def test_it_names_who_takes_the_batches() -> None:
    built = on_host(40_000)
    built.frame("train.py(5): main", 0, 1_000_000)
    (finding,) = found(built, "DAT05")
    said = finding.figures.sentence(scope_of(marks_steps=True))
    assert said.startswith("The training thread loads data (train.py:5 main) for 40.0")


def test_with_worker_processes_they_are_to_become_faster() -> None:
    (finding,) = found(on_host(40_000, name=WORKERS), "DAT05")
    assert finding.remedy.fixed_as == "DAT01"


def test_a_first_step_that_starts_the_loader_does_not_count() -> None:
    (finding,) = found(on_host(40_000, first=900_000), "DAT05")
    assert finding.numbers()["loading_per_step_ns"] == 40_000_000


@pytest.mark.parametrize(("takes", "count"), [(4_999, 0), (5_000, 1)])
def test_less_than_5_percent_of_the_steps_is_silent(takes: float, count: int) -> None:
    assert len(found(on_host(takes), "DAT05")) == count


def test_it_is_found_where_the_work_of_a_device_was_not_recorded() -> None:
    """By the host's time: whether the device was busy meanwhile, no row tells."""
    meant_for_device, lost = on_host(40_000), on_host(40_000)
    meant_for_device.op("aten::cudnn_convolution", 50_000, 50_010)
    lost.call("cudaLaunchKernel", 50_000, 50_010)
    for built in (meant_for_device, lost):
        (finding,) = found(built, "DAT05")
        assert (finding.numbers()["share"], finding.confidence) == (0.4, "medium")


def test_a_device_that_worked_is_judged_by_its_idle() -> None:
    assert found(loading(40_050), "DAT05") == []


CASES = (
    CheckCases(
        "DAT05",
        boundary="5 % of the steps",
        positive=lambda: on_host(40_000),
        negative=lambda: on_host(100),
        least=lambda: on_host(5_000),
        below=lambda: on_host(4_999),
    ),
)
