"""CPY06: a module, a loss or an optimizer is built in the step."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from hook_scenes import found_with, the_audit
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.model import Construction

MODULE = "torch/nn/modules/module.py(445): __init__"
OPTIMIZER = "/opt/python/site-packages/torch/optim/optimizer.py(353): __init__"
STEP = "train.py(12): training_step"


def build(built: TraceBuilder, at: float, *, frame: str = MODULE, thread: int = MAIN) -> None:
    """An object that takes 50 to build, in the user's function."""
    built.frame(STEP, at, at + 300, thread=thread)
    built.frame(frame, at + 100, at + 150, thread=thread)


@pytest.mark.parametrize("frame", [MODULE, OPTIMIZER])
def test_an_object_built_in_each_step_is_found(frame: str) -> None:
    (finding,) = found(each_step(lambda built, at: build(built, at, frame=frame)), "CPY06")

    assert (finding.removal, finding.confidence) == ("rewrite", "high")
    assert (finding.count, finding.steps) == (2, (1, 2)), "in the first step it may be built for good"
    assert finding.numbers() == {"place": STEP, "objects_per_step": 1.0, "build_ns": 100_000}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 100_000


def test_the_constructor_of_something_else_is_silent() -> None:
    built = each_step(lambda built, at: build(built, at, frame="torch/utils/data/sampler.py(73): __init__"))
    assert found(built, "CPY06") == []


def test_each_place_is_a_finding() -> None:
    def build_two(built: TraceBuilder, at: float) -> None:
        build(built, at)
        built.annotation("loss", at + 160, at + 200)
        built.frame(MODULE, at + 170, at + 180)

    places = [finding.numbers()["place"] for finding in found(each_step(build_two), "CPY06")]
    assert sorted(map(str, places)) == ["loss", STEP]


@pytest.mark.parametrize(("steps", "count"), [(2, 0), (3, 1)])
def test_fewer_than_half_of_the_steps_are_silent(steps: int, count: int) -> None:
    assert len(found(building_in(steps), "CPY06")) == count


def test_another_thread_is_silent() -> None:
    assert found(each_step(lambda built, at: build(built, at, thread=SIDE)), "CPY06") == []


def test_on_a_trace_of_the_cpu_it_has_no_saving() -> None:
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
        build(built, 1000 * number + 100)
    (finding,) = found(built, "CPY06")
    assert (finding.saving, finding.severity) == (None, "info")


def test_without_python_frames_it_is_not_checked() -> None:
    built = each_step(lambda built, at: built.op("aten::add", at, at + 1))
    needs = {(row.rule, row.needs) for row in built.report().not_checked}
    assert ("CPY06", "Python frames") in needs


def test_a_model_that_was_built_before_is_silent(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    assert "CPY06" not in {finding.rule for finding in report.findings}
    assert "CPY06" not in {row.rule for row in report.not_checked}


def test_without_frames_the_hook_s_lines_tell_it() -> None:
    audit = the_audit(
        constructions=(
            Construction("train.py", 12, "step", "Sequential", 1),
            Construction("train.py", 12, "step", "Linear", 2),
            Construction("loss.py", 3, "loss", "MSELoss", 1),
        )
    )
    quiet = each_step(lambda built, at: built.op("aten::add", at, at + 1))
    findings = found_with(audit, quiet, "CPY06")
    assert [(finding.numbers()["place"], finding.numbers()["objects_per_step"]) for finding in findings] == [
        ("train.py:12", 3),
        ("loss.py:3", 1),
    ]
    assert {(finding.saving, finding.confidence) for finding in findings} == {(None, "medium")}
    assert found_with(the_audit(), quiet, "CPY06") == []


def test_frames_tell_more_than_lines_do() -> None:
    """They have what it costs, and speak alone."""
    audit = the_audit(constructions=(Construction("train.py", 12, "step", "Linear", 1),))
    (finding,) = found_with(audit, each_step(build), "CPY06")
    assert finding.numbers()["place"] == STEP


def building_in(steps: int) -> TraceBuilder:
    """In so many of seven steps, the first of which does not count."""
    return each_step(
        lambda built, at: build(built, at, frame=MODULE if at <= 1000 * steps + 200 else "a.py(1): b"),
        steps=7,
    )


CASES = (
    CheckCases(
        "CPY06",
        boundary="half of the steps but the first",
        positive=lambda: building_in(6),
        negative=lambda: each_step(lambda built, at: build(built, at, frame="a.py(1): b")),
        least=lambda: building_in(3),
        below=lambda: building_in(2),
    ),
)
