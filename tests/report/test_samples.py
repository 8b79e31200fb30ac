"""The samples that everybody sees first show what today's analysis says."""

from __future__ import annotations

import dataclasses
import gzip
import pathlib
import sys

import pytest

from tbprof.cli.commands.demo import _FIRST_SAMPLE as FIRST
from tbprof.model import Site
from tbprof.store.windows import read_report

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))

from recorded_samples import MOST_BYTES
from refresh_samples import SAMPLES, report_path, sample_report

HOW = "run python tests/data/refresh_samples.py, then python tests/data/refresh_dev_answers.py"
TRACES = sorted(SAMPLES.rglob("*.json.gz"))


def test_there_are_samples() -> None:
    assert len(TRACES) >= 5


def test_the_first_is_a_classifier_on_a_real_gpu_with_the_exact_lines_of_its_waits() -> None:
    report = sample_report(TRACES[0])
    waits = [site.source for site in report.sites if site.blocking]
    assert (TRACES[0].parent.name, report.trace.devices) == (FIRST, ("NVIDIA H200",))
    assert sorted(source.line for source in waits if source is not None and source.exact) == [81, 82, 83]


def test_all_samples_together_are_small_and_name_no_folder() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*.*")) <= MOST_BYTES
    recorded_here = [trace for trace in TRACES if trace.parent.name.endswith("_h200")]
    assert [trace.name for trace in recorded_here if b'"/' in gzip.decompress(trace.read_bytes())] == []


def test_every_figure_of_a_site_is_computed() -> None:
    sites = [site for trace in TRACES for site in read_report(str(report_path(trace))).sites]
    empty = {
        field.name
        for field in dataclasses.fields(Site)
        if all(getattr(site, field.name) in (None, "", ()) for site in sites)
    }
    # No sample has a range of the user's own around its sites.
    assert empty == {"label"}, "is it computed in site_figures.py, and are the samples fresh?"


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.parent.name)
def test_the_report_beside_a_sample_is_fresh(trace: pathlib.Path) -> None:
    stored = read_report(str(report_path(trace)))
    fresh = sample_report(trace)
    assert stored.sites == fresh.sites, HOW
    assert stored.steps == fresh.steps, HOW
    assert stored.findings == fresh.findings, HOW
