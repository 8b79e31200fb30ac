"""SYN05: one line reads numbers from the device in a loop."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import read_scalar
from trace_builder import TraceBuilder

from tbprof.model import NotChecked

CODES = ("SYN01", "SYN02", "SYN03", "SYN04", "SYN05", "SYN07")
READ = ("aten::item", "aten::_local_scalar_dense")


def loop(times: int, *ops: str, size_bytes: int = 4) -> TraceBuilder:
    def read(built: TraceBuilder, at: float) -> None:
        for turn in range(times):
            read_scalar(built, at + 100 * turn, wait=50, ops=(*ops, *READ), size_bytes=size_bytes)

    return each_step(read)


@pytest.mark.parametrize(("ops", "removal"), [((), "defer"), (("aten::is_nonzero",), "rewrite")])
def test_a_loop_of_reads_or_tests_is_found_once(ops: tuple[str, ...], removal: str) -> None:
    (finding,) = found(loop(4, *ops), *CODES)
    assert (finding.rule, finding.removal, finding.count) == ("SYN05", removal, 12)
    assert (finding.sites, finding.steps, finding.numbers()) == ((0,), (0, 1, 2), {"per_step": 4})


@pytest.mark.parametrize(("times", "rule"), [(2, "SYN01"), (3, "SYN05")])
def test_two_reads_are_no_loop(times: int, rule: str) -> None:
    assert [finding.rule for finding in found(loop(times), *CODES)] == [rule]


def test_as_many_reads_from_different_lines_are_no_loop() -> None:
    built = loop(3)
    for number in range(3):
        for turn in range(3):
            start = 1000 * number + 200 + 100 * turn
            built.frame(f"train.py({turn}): line_{turn}", start - 1, start + 60)
    assert {finding.rule for finding in found(built, *CODES)} == {"SYN01"}


def test_one_read_a_step_of_many_steps_is_no_loop() -> None:
    assert found(loop(1), "SYN05") == []


def test_an_op_that_knows_its_own_shape_in_a_loop_is_silent() -> None:
    assert [finding.rule for finding in found(loop(4, "aten::nonzero"), *CODES)] == ["SYN03"]


def test_without_steps_it_can_not_tell() -> None:
    built = TraceBuilder()
    built.launch(10, 15, runs=(20, 120))
    for turn in range(5):
        read_scalar(built, 200 + 100 * turn, wait=50)
    report = built.report()
    assert NotChecked("SYN05", "steps") in report.not_checked
    assert [finding.rule for finding in report.findings] == ["SYN01"]


def test_a_recommender_reads_three_scalars_a_step(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "SYN05"]
    assert (finding.count, finding.numbers()) == (18, {"per_step": 3})


CASES = (
    CheckCases(
        "SYN05",
        boundary="three reads a step",
        positive=lambda: loop(9),
        negative=lambda: loop(1),
        least=lambda: loop(3),
        below=lambda: loop(2),
    ),
)
