"""The samples that everybody sees first show what today's analysis says."""

from __future__ import annotations

import pathlib
import sys

import pytest

from tbprof.store.lookup.windows import read_report

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))

from refresh_samples import SAMPLES, report_path, sample_report

TRACES = sorted(SAMPLES.rglob("*.json.gz"))


def test_there_are_samples() -> None:
    assert len(TRACES) >= 4


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.parent.name)
def test_the_report_beside_a_sample_is_fresh(trace: pathlib.Path) -> None:
    stored = read_report(str(report_path(trace)))
    fresh = sample_report(trace)
    assert stored.sites == fresh.sites, "run python tests/data/refresh_samples.py"
    assert stored.steps == fresh.steps
    assert stored.findings == fresh.findings
