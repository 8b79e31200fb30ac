"""The samples that everybody sees first show what today's analysis says."""

from __future__ import annotations

import dataclasses
import gzip
import pathlib
import sys

import pytest

from tbprof.model import Site
from tbprof.store.windows import read_report
from tbprof.views.opening import opening_of

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))

from refresh_samples import SAMPLES, report_path, sample_report
from simulate_sample import SAMPLE as SIMULATED
from simulate_sample import write

HOW = "run python tests/data/refresh_samples.py, then python tests/data/refresh_dev_answers.py"
TRACES = sorted(SAMPLES.rglob("*.json.gz"))


def test_there_are_samples() -> None:
    assert len(TRACES) >= 5


def test_the_simulated_one_is_what_its_script_writes_and_says_what_it_is(tmp_path: pathlib.Path) -> None:
    written = tmp_path / SIMULATED.name
    write(written)
    assert gzip.decompress(written.read_bytes()) == gzip.decompress(SIMULATED.read_bytes())
    report = sample_report(SIMULATED)
    assert (report.trace.devices, "simulated" in report.trace.worker) == (("Simulated GPU",), True)


def test_the_simulated_one_has_exact_lines_and_a_saving() -> None:
    opening = opening_of(sample_report(SIMULATED))
    assert opening.action.startswith("First: fix these waits together (train.py:12")
    assert all(site.source is not None and site.source.exact for site in sample_report(SIMULATED).sites)


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
