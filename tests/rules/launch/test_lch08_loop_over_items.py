"""LCH08: a loop does item by item what the device could do for all items at once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from rule_scenes import CODES_OF_READS, found
from trace_builder import TraceBuilder

from tbprof.judge.words import verdict_sentences
from tbprof.model import Scope
from tbprof.rules.launch.words import ItemLoop
from tbprof.views.failing_findings import report_recording

TURN_US = 60.0
STEP_US = 6000.0
AUTOGRAD = 101


def looping(
    turns: int,
    *,
    ops: Sequence[str] = ("aten::eq", "aten::any"),
    reads: bool = True,
    around: str = "",
    every_other: str = "",
    steps: int = 2,
) -> TraceBuilder:
    """Steps with so many turns: each op launches 2 us of work, and the last value is read.

    `every_other` is an op of every other turn, `around` a range around each.
    """
    built = TraceBuilder()
    for step in range(steps):
        start = STEP_US * step
        built.step(step, start, start + STEP_US)
        built.launch(start + 5, start + 8, runs=(start + 10, start + 300), name="other")
        for turn in range(turns):
            host = start + 310 + TURN_US * turn
            if around:
                built.annotation(around, host, host + TURN_US - 1)
            mine = (*ops, every_other) if every_other and turn % 2 else ops
            for at, name in enumerate(mine):
                begin = host + 1 + 9 * at
                built.op(name, begin, begin + 8)
                built.launch(begin + 1, begin + 4, runs=(begin + 5, begin + 7))
            if reads:
                built.op("aten::item", host + 35, host + 55)
                built.op("aten::_local_scalar_dense", host + 35.5, host + 54.5)
                built.copy("DtoH", "pageable", host + 36, host + 54, runs=(host + 45, host + 46))
        end = start + 312 + TURN_US * turns
        built.launch(end, end + 3, runs=(end + 5, start + STEP_US - 10), name="other")
    return built


@pytest.mark.parametrize(("turns", "codes"), [(7, []), (8, ["LCH08"])])
def test_eight_turns_are_a_loop(turns: int, codes: list[str]) -> None:
    assert [finding.rule for finding in found(looping(turns), "LCH08")] == codes


@pytest.mark.parametrize(("computes_us", "codes"), [(500, ["LCH02"]), (150, ["LCH08"])])
def test_turns_that_compute_on_the_host_take_as_long_for_all_items(
    computes_us: float, codes: list[str]
) -> None:
    """Random numbers are made on the CPU, uploaded, and used by one kernel, ten times."""
    built = TraceBuilder()
    for turn in range(10):
        at = 600.0 * turn
        built.op("aten::randn", at, at + computes_us)
        built.op("aten::to", at + 550, at + 570)
        built.copy("HtoD", "pageable", at + 551, at + 560, runs=(at + 555, at + 560), size_bytes=1 << 20)
        built.synchronize("cudaStreamSynchronize", at + 561, at + 569)
        built.op("aten::square", at + 575, at + 590)
        built.launch(at + 576, at + 580, runs=(at + 582, at + 590))
    assert [one.rule for one in built.report().findings if one.rule in ("LCH02", "LCH08")] == codes


def test_its_figures_are_those_of_the_turns() -> None:
    (finding,) = found(looping(50), "LCH08")
    figures = finding.figures
    assert isinstance(figures, ItemLoop)
    assert (figures.turns, figures.waits, figures.kernels) == (50, 50, 100)
    assert figures.calls == "eq, any, item"
    # From the first op to the end of the last read: 50 turns but for what is before and after it in one.
    assert figures.loop_per_step_ns == pytest.approx(50 * TURN_US * 1000, abs=1000)
    assert figures.turn_ns == pytest.approx(TURN_US * 1000, rel=0.01)
    # Two kernels of 2 us and a copy of 1 us.
    assert figures.device_per_turn_ns == pytest.approx(5000, rel=0.01)
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == pytest.approx(2 * 50 * (TURN_US - 5) * 1000, rel=0.01)


def test_what_is_found_in_its_turns_is_part_of_it() -> None:
    findings = looping(50).report().findings
    assert [finding.rule for finding in findings if finding.severity in ("critical", "high", "medium")] == [
        "LCH08"
    ]
    assert not [finding for finding in findings if finding.rule in ("LCH01", "LCH02")]


def test_what_waits_in_its_turns_stays_known_and_is_no_change_of_its_own() -> None:
    report = looping(50).report()
    parts = {at for at, finding in enumerate(report.findings) if finding.rule in (*CODES_OF_READS, "SYN05")}
    assert parts
    for at in parts:
        finding = report.findings[at]
        assert (finding.severity, finding.saving, finding.remedy.fixed_as) == ("info", None, "LCH08")
    assert report.ranked is not None
    ranked = report.ranked
    listed = {at for action in (*ranked.actions, *ranked.smaller) for at in action.findings}
    assert not parts & {*listed, *ranked.unknown, *ranked.leave, *(row.finding for row in report.fix_plan)}
    (check,) = (check for check in report.checks if check.rule == "SYN05")
    assert check.state == "not_applicable"
    found = report_recording(report).found
    assert [(one.rule, one.kind, one.per_step) for one in found] == [("SYN05", "scalar_read", 50)]


def test_the_first_sentence_is_about_it() -> None:
    report = looping(50).report()
    assert report.verdict is not None
    assert report.verdict.case == "item_loop"
    assert report.ranked is not None
    assert report.findings[report.ranked.actions[0].findings[0]].rule == "LCH08"


SCAN = ("aten::select", "aten::mul", "aten::add", "aten::copy_")


@pytest.mark.parametrize(
    ("ops", "reads", "severity", "may_stay"),
    [
        (SCAN, False, "medium", True),
        (("aten::mul", "aten::norm"), True, "medium", True),
        (("aten::select", "aten::eq", "aten::index"), False, "critical", False),
        (("aten::select", "aten::any"), True, "critical", False),
    ],
)
def test_a_scan_is_told_from_items(ops: tuple[str, ...], reads: bool, severity: str, may_stay: bool) -> None:
    """Turns that only take the next element may need each other: both sentences say that, or neither."""
    built = looping(80, ops=ops, reads=reads)
    (finding,) = found(built, "LCH08")
    assert finding.severity == severity
    said = finding.figures.sentence(Scope("a step", "a step"))
    assert ("it stays a loop" in said) == may_stay
    verdict = built.report().verdict
    assert verdict is not None
    (first,) = [one for one in verdict_sentences(verdict) if "sync point" in one or "wait for" in one]
    assert ("go with it" in first) == (reads and not may_stay)
    if reads:
        assert "160 of the window's 160 sync points are in a loop over items" in first


def test_a_turn_may_branch() -> None:
    (finding,) = found(looping(50, every_other="aten::sum"), "LCH08")
    assert isinstance(finding.figures, ItemLoop)
    assert finding.figures.turns == 50


def test_without_a_wait_it_takes_a_selection() -> None:
    assert found(looping(50, reads=False), "LCH08") == []
    assert len(found(looping(50, ops=("aten::select", "aten::mul"), reads=False), "LCH08")) == 1


@pytest.mark.parametrize(
    "ops",
    [
        ("aten::linear", "aten::layer_norm"),
        ("aten::conv2d", "aten::batch_norm"),
        ("aten::linear", "aten::relu"),
        ("aten::index", "aten::scaled_dot_product_attention", "aten::linear"),
    ],
)
def test_layers_and_batches_are_none(ops: tuple[str, ...]) -> None:
    assert found(looping(50, ops=ops), "LCH08") == []


def test_the_experts_of_a_layer_are_one() -> None:
    """They multiply, but select by what the device found, and wait for that."""
    assert len(found(looping(16, ops=("aten::index", "aten::linear", "aten::index_add_")), "LCH08")) == 1


@pytest.mark.parametrize("around", ["Optimizer.step#AdamW.step", "enumerate(DataLoader)#_Single.__next__"])
def test_what_training_does_is_none(around: str) -> None:
    assert found(looping(50, around=around), "LCH08") == []


def test_micro_batches_are_none() -> None:
    built = looping(50)
    for step in range(2):
        for turn in range(50):
            at = STEP_US * step + 310 + TURN_US * turn + 30
            built.op("autograd::engine::evaluate_function: MulBackward0", at, at + 4, thread=AUTOGRAD)
            built.launch(at + 1, at + 2, runs=(at + 2, at + 4), thread=AUTOGRAD)
    assert found(built, "LCH08") == []


def test_a_loop_that_a_busy_device_does_not_wait_for_passes() -> None:
    built = turning(12, busy_us=900)
    assert found(built, "LCH08") == []
    (check,) = (check for check in built.report().checks if check.rule == "LCH08")
    assert (check.state, check.numbers()["turns"]) == ("passed", 36)


def turning(turns: int, *, busy_us: float = 5) -> TraceBuilder:
    return computing(*("aten::select", "aten::mul") * turns, kernel_us=1, busy_us=busy_us)


CASES = (
    CheckCases(
        "LCH08",
        boundary="eight turns",
        positive=lambda: turning(30),
        negative=lambda: turning(12, busy_us=900),
        least=lambda: turning(8),
        below=lambda: turning(7),
    ),
)
