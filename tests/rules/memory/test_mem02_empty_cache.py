"""MEM02: the allocator's cache is emptied in the step."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from check_cases import CheckCases
from cupti_scenes import cupti_works
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.judge.actions import rank
from tbprof.model import Saving
from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import finding_note

EMPTY_CACHE = "/usr/lib/python3/site-packages/torch/cuda/memory.py(250): empty_cache"


def flush(
    built: TraceBuilder, at: float, *, frees: int = 2, allocates: bool = True, thread: int = MAIN
) -> None:
    """Frees of 40 each from `at`, then an allocation of 60."""
    for index in range(frees):
        built.call("cudaFree", at + 40 * index, at + 40 * index + 40, thread=thread)
    if allocates:
        built.call("cudaMalloc", at + 40 * frees, at + 40 * frees + 60, thread=thread)


def without_cache(pairs: int, *, frees: int = 1) -> Callable[[TraceBuilder, float], None]:
    """So often an allocation and some frees, of 2 each."""

    def run(built: TraceBuilder, at: float) -> None:
        for index in range(pairs):
            start = at + 4 * (1 + frees) * index
            built.call("cudaMalloc", start, start + 2)
            for free in range(frees):
                built.call("cudaFree", start + 4 + 4 * free, start + 6 + 4 * free)

    return run


def test_blocks_that_are_freed_and_allocated_again_are_found() -> None:
    (finding,) = found(each_step(flush), "MEM02")

    assert (finding.removal, finding.confidence, finding.severity) == ("rewrite", "medium", "high")
    assert (finding.count, finding.steps) == (6, (1, 2)), "memory is set up in the first step"
    assert finding.numbers() == {
        "empty_cache_calls": 0,
        "is_uncached": 0,
        "frees": 4,
        "allocations": 2,
        "call_ns": 2 * 140_000,
    }
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 3 * 140_000), (
        "the first one does the same"
    )


def test_the_python_call_makes_it_sure() -> None:
    def empty_cache(built: TraceBuilder, at: float) -> None:
        built.frame(EMPTY_CACHE, at - 10, at + 200)
        flush(built, at)

    (finding,) = found(each_step(empty_cache), "MEM02")
    assert (finding.confidence, finding.numbers()["empty_cache_calls"]) == ("high", 2)


def test_a_call_that_has_nothing_to_free_is_found() -> None:
    (finding,) = found(each_step(lambda built, at: built.frame(EMPTY_CACHE, at, at + 5)), "MEM02")
    assert (finding.count, finding.severity) == (2, "info")


@pytest.mark.parametrize(("frees", "count"), [(1, 0), (2, 1)])
def test_a_single_freed_block_is_silent(frees: int, count: int) -> None:
    assert len(found(freeing(frees), "MEM02")) == count


def test_memory_that_is_not_asked_for_again_is_silent() -> None:
    assert found(each_step(lambda built, at: flush(built, at, allocates=False)), "MEM02") == []


def test_an_allocation_before_the_frees_is_silent() -> None:
    def free_later(built: TraceBuilder, at: float) -> None:
        built.call("cudaMalloc", at, at + 60)
        flush(built, at + 60, allocates=False)

    assert found(each_step(free_later, steps=1), "MEM02") == []
    (finding,) = found(each_step(free_later), "MEM02")
    assert finding.steps == (1,), "the next step allocates again"


def test_the_first_of_several_steps_is_silent_and_the_only_one_is_not() -> None:
    def in_the_first(built: TraceBuilder, at: float) -> None:
        if at == 200:
            flush(built, at)

    assert found(each_step(in_the_first), "MEM02") == []
    assert len(found(each_step(in_the_first, steps=1), "MEM02")) == 1


@pytest.mark.parametrize(("loads", "severity"), [(400, "high"), (5800, "low")])
def test_beside_longer_first_calls_memory_is_set_up(loads: float, severity: str) -> None:
    built = each_step(flush)
    built.step(3, 3_000, 10_000)
    cupti_works(built, "Lazy Function Loading", 3_100, 3_100 + loads)
    built.launch(9_000, 9_001, runs=(9_002, 9_100))
    assert [finding.severity for finding in found(built, "MEM02")] == [severity]


def test_tensors_that_the_driver_allocates_and_frees_one_by_one_show_that_the_cache_is_off() -> None:
    (finding,) = found(each_step(without_cache(12)), "MEM02")

    assert (finding.numbers()["is_uncached"], finding.remedy.fixed_as) == (1, "ENV05")
    assert (finding.numbers()["frees"], finding.numbers()["allocations"]) == (2 * 12, 2 * 12)
    assert finding.confidence == "medium", "no variable is recorded"
    assert finding_note(finding, scope_of(marks_steps=True)) == (
        "Each tensor is allocated and freed by the driver: the caching allocator is off."
        " 24 blocks were freed and 24 allocated, 96\u202fµs in the calls."
    )


@pytest.mark.parametrize(
    ("pairs", "kernels", "is_off"),
    [(10, 2, True), (9, 2, False), (10, 40, True), (10, 41, False)],
    ids=["enough bursts", "few bursts", "comparable to the kernels", "most kernels need none"],
)
def test_few_frees_are_an_emptied_cache(pairs: int, kernels: int, *, is_off: bool) -> None:
    def run(built: TraceBuilder, at: float) -> None:
        without_cache(pairs, frees=2)(built, at)
        for index in range(kernels - 2):
            built.launch(at + 400 + index, at + 400.5 + index, runs=(at + 401 + index, at + 401.5 + index))

    (finding,) = found(each_step(run), "MEM02")
    assert finding.numbers()["is_uncached"] == is_off


def test_many_blocks_at_once_are_an_emptied_cache_however_often() -> None:
    def run(built: TraceBuilder, at: float) -> None:
        without_cache(12, frees=5)(built, at)

    (finding,) = found(each_step(run), "MEM02")
    assert finding.numbers()["is_uncached"] == 0


def test_a_program_that_empties_its_cache_has_one() -> None:
    def empty_cache(built: TraceBuilder, at: float) -> None:
        built.frame(EMPTY_CACHE, at - 10, at + 300)
        without_cache(12)(built, at)

    (finding,) = found(each_step(empty_cache), "MEM02")
    assert finding.numbers()["is_uncached"] == 0


def test_another_thread_is_silent() -> None:
    assert found(each_step(lambda built, at: flush(built, at, thread=SIDE)), "MEM02") == []


def test_frees_of_libraries_that_are_set_up_are_no_emptied_cache(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """6.5 s of them in the first convolution; the benchmark's own flush is followed by no allocation."""
    report = public_report(traces / "hta_critical_path" / "alexnet.json.gz")
    assert "MEM02" not in {finding.rule for finding in report.findings}


def test_a_wait_before_the_frees_wins_nothing() -> None:
    """The first free would wait for the device in its place."""

    def wait_and_flush(built: TraceBuilder, at: float) -> None:
        built.synchronize("cudaDeviceSynchronize", at - 60, at - 5)
        flush(built, at)

    assert found(each_step(wait_and_flush), "MEM02")
    about_waits = [finding for finding in each_step(wait_and_flush).report().findings if finding.sites]
    assert {finding.saving.ceiling_ns for finding in about_waits if finding.saving is not None} <= {0}


def test_a_wait_that_the_frees_take_over_leaves_them_what_they_save() -> None:
    """Without the wait the first free waits in its place: the next launch comes hardly earlier."""
    built = TraceBuilder()
    for start in (0, 1000, 2000):
        built.step(start // 1000, start, start + 1000)
        built.launch(start + 5, start + 10, runs=(start + 15, start + 500))
        built.synchronize("cudaStreamSynchronize", start + 15, start + 505)
        built.launch(start + 510, start + 515, runs=(start + 520, start + 560))
        built.call("cudaFree", start + 520, start + 600)
        flush(built, start + 600)
        built.launch(start + 800, start + 805, runs=(start + 810, start + 1000))
    report = built.report()
    actions = {report.findings[action.findings[0]].rule: action.saving for action in rank(report).actions}
    (flushed,) = (finding.saving for finding in report.findings if finding.rule == "MEM02")
    # In each step 80 of the first free, which waits for 40 of them, 80 of the others, 60 of the allocation.
    assert flushed == actions["MEM02"] == Saving(floor_ns=0, estimate_ns=None, ceiling_ns=3 * 220_000)
    waits = [saving for rule, saving in actions.items() if rule.startswith("SYN")]
    assert all((saving.estimate_ns or 0) <= 3 * 19_000 for saving in waits)


def freeing(frees: int) -> TraceBuilder:
    return each_step(lambda built, at: flush(built, at, frees=frees))


CASES = (
    CheckCases(
        "MEM02",
        boundary="two frees",
        positive=lambda: freeing(9),
        negative=lambda: each_step(lambda built, at: flush(built, at, allocates=False)),
        least=lambda: freeing(2),
        below=lambda: freeing(1),
    ),
)
