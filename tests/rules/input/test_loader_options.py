"""DAT03 and DAT04: what the loader was given, against what the steps needed."""

from __future__ import annotations

import pytest
from check_cases import CheckCases, beside
from hook_scenes import hook_facts, report_with
from loader_scenes import loading
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, LoaderFacts, Report


def loader(*, workers: int = 4, pin: bool = False) -> LoaderFacts:
    return LoaderFacts("Images", 128, workers, pin, 2 if workers else None, persistent_workers=False)


def of_rule(report: Report, code: str) -> list[Finding]:
    assert report.failed_rules == ()
    return [finding for finding in report.findings if finding.rule == code]


@pytest.mark.parametrize(("workers", "exposed", "enough"), [(4, 40_000, 7), (4, 5_000, 5), (3, 50_000, 6)])
def test_enough_workers_are_those_of_the_step_without_the_wait(
    workers: int, exposed: float, enough: int
) -> None:
    """Steps of 100 ms: with 40 of them waited for, four workers make a batch in 60 with three more."""
    facts = hook_facts(loaders=(loader(workers=workers),))
    (finding,) = of_rule(report_with(facts, loading(50 + exposed)), "DAT03")
    assert (finding.numbers()["enough"], finding.saving) == (enough, None)


@pytest.mark.parametrize(
    ("loaders", "exposed"),
    [((loader(),), 4_999), ((loader(workers=0),), 40_000), ((loader(), loader()), 40_000), ((), 40_000)],
)
def test_workers_that_keep_up_or_can_not_be_told_are_left_alone(
    loaders: tuple[LoaderFacts, ...], exposed: float
) -> None:
    assert of_rule(report_with(hook_facts(loaders=loaders), loading(50 + exposed)), "DAT03") == []


def uploading(memory: str, size_bytes: int) -> TraceBuilder:
    built = TraceBuilder()
    for number in range(2):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.copy(
            "HtoD", memory, start + 10, start + 60, runs=(start + 20, start + 55), size_bytes=size_bytes
        )
    return built


@pytest.mark.parametrize(
    ("memory", "size_bytes", "pin", "codes"),
    [
        ("pageable", 65_536, False, ["DAT04"]),
        ("pageable", 65_535, False, []),
        ("pinned", 65_536, False, []),
        ("pageable", 65_536, True, []),
    ],
)
def test_batches_of_a_loader_that_does_not_pin(
    memory: str, size_bytes: int, pin: bool, codes: list[str]
) -> None:
    report = report_with(hook_facts(loaders=(loader(pin=pin),)), uploading(memory, size_bytes))
    assert [finding.rule for finding in of_rule(report, "DAT04")] == codes


def test_a_loader_that_pins_passes_with_its_figures() -> None:
    report = report_with(hook_facts(loaders=(loader(pin=True),)), uploading("pinned", 65_536))
    (check,) = (check for check in report.checks if check.rule == "DAT04")
    assert check.numbers() == {"loaders": 1, "pinning": 1, "uploads": 0}


def workers_late_by(exposed: float) -> Facts:
    return beside(hook_facts(loaders=(loader(),)), loading(50 + exposed))


def batches_of(size_bytes: int, *, pin: bool = False) -> Facts:
    return beside(hook_facts(loaders=(loader(pin=pin),)), uploading("pageable", size_bytes))


CASES = (
    CheckCases(
        "DAT03",
        boundary="5 % of the steps",
        positive=lambda: workers_late_by(40_000),
        negative=lambda: workers_late_by(0),
        least=lambda: workers_late_by(5_000),
        below=lambda: workers_late_by(4_999),
    ),
    CheckCases(
        "DAT04",
        boundary="64 KB, up to which the driver takes them at once",
        positive=lambda: batches_of(1_000_000),
        negative=lambda: batches_of(1_000_000, pin=True),
        least=lambda: batches_of(65_536),
        below=lambda: batches_of(65_535),
    ),
)
