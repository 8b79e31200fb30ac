"""The figures of a plan add up, on every form of output: of samples, public traces and programs."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
from adding_up import contradictions_of
from odd_recordings import A100
from public_report import PublicReport
from random_programs import random_program
from recording import record
from simulated_host import run
from trace_builder import TraceBuilder

from tbprof.model import Report, Saving, Way
from tbprof.report import build_report, report_of


def products_in_float32() -> TraceBuilder:
    built = TraceBuilder()
    built.device_name = A100
    for number in range(10):
        at = 1_000 * number + 10
        built.launch(6 * number, 6 * number + 5, runs=(at, at + 1_000), name="ampere_sgemm_128x64_tn")
    built.synchronize("cudaStreamSynchronize", 100, 10_015)
    return built


SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"


@pytest.mark.parametrize("trace", sorted(SAMPLES.rglob("*.json.gz")), ids=lambda path: path.parent.name)
def test_a_sample_adds_up(trace: pathlib.Path) -> None:
    assert contradictions_of(build_report(str(trace)), reads_page=True) == []


def test_every_public_trace_adds_up(traces: pathlib.Path, public_report: PublicReport) -> None:
    found = sorted(traces.glob("*/*.json.gz"))
    files = [path for path in found if path.parent.name not in ("malformed", "straggler_what_if")]
    assert len(files) >= 40
    assert [
        problem for path in files for problem in contradictions_of(public_report(path), reads_page=True)
    ] == []


def _of_programs(seeds: range) -> list[str]:
    programs = ((seed, random_program(seed)) for seed in seeds)
    reports = ((seed, report_of(record(program, run(program)).trace())) for seed, program in programs)
    return [
        f"{seed}: {problem}"
        for seed, report in reports
        for problem in contradictions_of(report, reads_page=seed % 10 == 0)
    ]


@pytest.mark.slow
def test_dozens_of_simulated_programs_add_up() -> None:
    assert _of_programs(range(40_000, 40_040)) == []


@pytest.mark.exhaustive
def test_a_thousand_simulated_programs_add_up() -> None:
    assert _of_programs(range(50_000, 51_000)) == []


def _changed(report: Report, at: int, **changes: object) -> Report:
    assert report.ranked is not None
    actions = list(report.ranked.actions)
    actions[at] = dataclasses.replace(actions[at], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(report, ranked=dataclasses.replace(report.ranked, actions=tuple(actions)))


def test_what_does_not_add_up_is_seen(traces: pathlib.Path, public_report: PublicReport) -> None:
    """A row that wins the whole step beside others, and two ways that save more than their lines."""
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    assert report.ranked is not None
    whole = Saving(0, None, report.window_ns)
    assert any("rows save" in problem for problem in contradictions_of(_changed(report, 1, saving=whole)))
    (way,) = report.ranked.actions[0].ways
    estimate_ns = way.saving.estimate_ns or 0
    more = Way(way.findings, Saving(0, estimate_ns + 10_000_000, way.saving.ceiling_ns + 10_000_000))
    found = contradictions_of(_changed(report, 0, ways=(more,)))
    assert any("their change" in problem for problem in found)


def test_another_way_wins_what_it_wins_in_the_place_of_its_row() -> None:
    """Ten products in float32 on an A100, and nothing else: autocast, or TF32."""
    report = products_in_float32().report()
    assert report.ranked is not None
    (row,) = report.ranked.actions
    (way,) = row.ways
    assert [report.findings[at].rule for at in (*row.findings, *way.findings)] == ["PRC01", "PRC02"]
    assert (row.saving.ceiling_ns, way.saving.ceiling_ns) == (9_375_000, 8_750_000)


def test_a_loader_and_the_waits_before_it_are_two_ways_to_one_time(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """Of 644 ms of idle 619 are the loader's, most of them after reads to the host: not 619 and 306."""
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    assert report.ranked is not None
    first = report.ranked.actions[0]
    (way,) = first.ways
    assert [report.findings[at].rule for at in first.findings] == ["DAT01"]
    assert round(first.saving.ceiling_ns / 1e6) == 619
    assert round((way.saving.estimate_ns or 0) / 1e6) == 306
    assert {report.findings[at].rule for at in way.findings} >= {"SYN04", "CPY01"}
