"""LCH09: garbage collection holds up the host."""

from __future__ import annotations

import pytest
from check_cases import CheckCases, beside
from hook_scenes import hook_facts, report_with
from launch_scenes import pausing
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.judge.words import verdict_sentences
from tbprof.model import Finding, GarbageCollections, HookFacts, Report, Scope, StepCounts
from tbprof.texts.rule_pages import fix_words

A_STEP = Scope("a step", "a step")


def collecting(built: TraceBuilder, *spans: tuple[float, float], thread: int = MAIN) -> HookFacts:
    """The hook timed collections from and to these us."""
    origin_ns = built.trace().origin_ns + built.origin_ns
    return hook_facts(
        collections=GarbageCollections(
            start_ns=tuple(origin_ns + round(start * 1000) for start, _ in spans),
            duration_ns=tuple(round((end - start) * 1000) for start, end in spans),
            thread=(thread,) * len(spans),
        )
    )


def each_step(length: float) -> tuple[tuple[float, float], ...]:
    """One in each of the pauses of `pausing`."""
    return tuple((start + 100, start + 100 + length) for start in (0, 10_000, 20_000))


def held(length: float, pause: float = 3_000) -> Facts:
    return beside(collecting(built := pausing(pause), *each_step(length)), built)


def report(length: float, thread: int = MAIN, built: TraceBuilder | None = None) -> Report:
    built = built or pausing(3_000)
    return report_with(collecting(built, *each_step(length), thread=thread), built)


def found(report: Report) -> list[Finding]:
    assert report.failed_rules == ()
    return [finding for finding in report.findings if finding.rule == "LCH09"]


def causes(report: Report) -> dict[str, int]:
    assert report.idle is not None
    return {cause: ns // 1000 for cause, ns in report.idle.total.by_cause.items()}


def test_what_the_collections_leave_idle_is_theirs_and_no_pause_of_the_program_s() -> None:
    of_window = report(2_500)
    (finding,) = found(of_window)
    assert finding.saving is not None
    assert (finding.count, finding.steps, finding.saving.ceiling_ns) == (3, (0, 1, 2), 7_500_000)
    assert causes(of_window)["garbage_collection"] == 7_500
    assert causes(of_window)["launch"] == 1_501
    said = finding.figures.sentence(A_STEP).replace("\u202f", " ")
    assert said == (
        "3 collections in 3 steps hold the host up for 2.5 ms a step, the longest for 2.5 ms; the GPU is "
        "idle for 2.5 ms of that."
    )
    assert of_window.verdict is not None
    assert of_window.verdict.case == "garbage_collection"
    assert verdict_sentences(of_window.verdict)[0].replace("\u202f", " ") == (
        "The GPU is idle 30 % of a step, 25 % because of garbage collection: Python stops the host meanwhile."
    )
    pause = [one for one in of_window.findings if one.rule == "LCH02"]
    assert all(one.saving is not None and one.saving.ceiling_ns <= 1_500_000 for one in pause)


def test_a_full_one_in_every_step_is_asked_for_by_the_program() -> None:
    built = pausing(3_000)
    for full, is_said in ((1, True), (0, False)):
        counted = tuple(StepCounts({"gc.full": one} if one else {}) for one in (1, full, 1))
        timed = collecting(built, *each_step(2_500)).collections
        (finding,) = found(report_with(hook_facts(collections=timed, step_counters=counted), built))
        assert ("`gc.collect()`" in finding.figures.sentence(A_STEP)) is is_said
        assert fix_words(finding).action.startswith(
            "Call `gc.collect()` once" if is_said else "Collect garbage"
        )


def test_a_collection_of_another_thread_counts_only_while_the_training_needs_python() -> None:
    """An operator of 1,000 us goes on without Python's lock; the rest of the collection holds it up."""
    built = pausing(3_000)
    for start in (0, 10_000, 20_000):
        built.op("aten::add", start + 1_000, start + 2_000)
    assert causes(report(2_500, built=built))["garbage_collection"] == 7_500
    assert causes(report(2_500, SIDE, built))["garbage_collection"] == 4_500


def test_the_rows_of_torch_s_own_profiler_need_no_hook() -> None:
    built = pausing(3_000)
    built.frame("Python GC", 100, 2_600)
    (finding,) = found(built.report())
    assert finding.count == 1
    assert causes(built.report())["garbage_collection"] == 2_500


def test_what_the_compiler_collects_is_compiling() -> None:
    built = pausing(3_000)
    built.annotation("entire_frame_compile", 50, 2_800)
    assert causes(report(2_500, built=built))["garbage_collection"] == 5_000


@pytest.mark.parametrize("known", [None, hook_facts()], ids=["no hook", "an older hook"])
def test_where_nobody_timed_them_nothing_is_said(known: HookFacts | None) -> None:
    built = pausing(3_000)
    of_window = built.report() if known is None else report_with(known, built)
    not_checked = [check for check in of_window.not_checked if check.rule == "LCH09"]
    assert [check.needs for check in not_checked] == ["collections of garbage"]


def test_beside_a_busy_device_a_collection_costs_nothing() -> None:
    built = TraceBuilder()
    for number in range(3):
        start = 10_000.0 * number
        built.step(number, start, start + 10_000)
        built.launch(start, start + 1, runs=(start + 1, start + 9_999))
    of_window = report(5_000, built=built)
    assert not found(of_window)
    assert "garbage_collection" not in causes(of_window)


CASES = (
    CheckCases(
        "LCH09",
        boundary="idle for 1 % of the steps, 100 us of each",
        positive=lambda: held(2_500),
        negative=lambda: held(20),
        least=lambda: held(100.011),
        below=lambda: held(99.9),
    ),
)
