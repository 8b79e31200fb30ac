"""Idle while the host copies its own memory, and idle after a wait."""

from __future__ import annotations

import pathlib

import pytest
from public_report import PublicReport
from scenes import read_scalar
from trace_builder import TraceBuilder

from tbprof.model import Report


def idle_of(report: Report, cause: str) -> int:
    assert report.idle is not None
    return report.idle.total.by_cause.get(cause, 0)


def uploaded(memory: str, *, vendor: str = "cuda", size_bytes: int = 10_000_000) -> Report:
    """Four steps of 20 ms that begin with an upload: 8 ms in its call, the last of them on the device."""
    built = TraceBuilder(vendor=vendor)
    for number in range(4):
        start = 20_000 * number
        built.step(number, start, start + 20_000)
        runs = (start + 7_000, start + 8_000)
        call = "" if vendor == "hip" else "cudaMemcpy"
        built.copy("HtoD", memory, start, start + 8_000, runs=runs, size_bytes=size_bytes, call=call)
        built.launch(start + 8_000, start + 8_005, runs=(start + 8_010, start + 20_000))
    return built.report()


def test_a_pageable_upload_is_staged_by_the_host() -> None:
    report = uploaded("pageable")
    assert (idle_of(report, "staging"), idle_of(report, "unrecorded")) == (28_000_000, 0)


def test_a_pinned_one_is_not() -> None:
    report = uploaded("pinned")
    assert (idle_of(report, "staging"), idle_of(report, "unrecorded")) == (0, 28_000_000)


def test_on_rocm_the_memory_is_not_recorded_and_every_upload_counts() -> None:
    assert idle_of(uploaded("", vendor="hip"), "staging") == 28_000_000


def test_a_few_bytes_are_not_staged_for_milliseconds() -> None:
    """Such a call waits for something else."""
    report = uploaded("pageable", size_bytes=1000)
    assert idle_of(report, "staging") == 4 * 10_000
    assert idle_of(report, "unrecorded") == 28_000_000 - 4 * 10_000


def test_staging_in_a_training_with_workers(traces: pathlib.Path, public_report: PublicReport) -> None:
    """37.7 ms by a derivation of its own, which counts the calls alone."""
    path = traces / "kineto_resnet50_nw4" / "worker0.1623212756351.pt.trace.json.gz"
    assert 37e6 < idle_of(public_report(path), "staging") < 38e6


@pytest.mark.parametrize(("waits", "refilling"), [(14, 12_000), (100, 98_000), (400, 398_000)])
def test_after_a_wait_the_host_may_be_as_late_as_the_wait_explains(waits: float, refilling: int) -> None:
    """The device works until the read is done; the host then needs 500 us to launch more."""
    built = TraceBuilder()
    built.step(1, 0, 2000)
    built.launch(0, 1, runs=(2, 98 + waits))
    read_scalar(built, 100, wait=waits)
    built.launch(600 + waits, 601 + waits, runs=(601 + waits, 2000))
    report = built.report()
    assert abs(idle_of(report, "sync") - refilling) <= 3_000
    assert idle_of(report, "sync") + idle_of(report, "launch") > 480_000


def test_a_read_of_what_is_ready_is_not_to_blame_for_the_178_ms_after_it(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """They are those of a function of the program that the trace names."""
    report = public_report(next((traces / "h100_timesformer_infer").glob("*.gz")))
    assert idle_of(report, "sync") < 5e6
    (finding,) = [finding for finding in report.findings if finding.rule == "LCH02"]
    assert str(finding.numbers()["place"]).endswith("preprocess")
