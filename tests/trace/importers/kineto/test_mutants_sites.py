"""Sites whose events an injury left alone keep their figures, whatever else it did to the trace."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trace_mutants import BERT, Original, Row, mutants, original
from trace_samples import rows_of, write

from tbprof.analysis.facts import Facts
from tbprof.model import Report, Site
from tbprof.report import report_of
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Trace
from tbprof.trace.importers.kineto.reader import read_trace


def figures(site: Site) -> tuple[Any, ...]:
    """What its own events say of a site; its share of steps and idle is a matter of others as well."""
    key = (site.direction, site.memory, site.calls, site.ops, site.source, site.label, site.module)
    return (*key, site.count, site.blocking, site.bytes, site.wait_ns)


@dataclass(frozen=True)
class Untouched:
    """A site of the whole trace, and how to see whether an injury met its events."""

    figures: tuple[Any, ...]
    calls: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    """Start and end of each of its calls, in ns."""
    correlations: frozenset[int]

    def is_met_by(self, row: Row) -> bool:
        """Whether the event is around, inside, beside or on the device behind one of its calls."""
        start, duration, name, correlation = row
        overlaps = any(start <= end and begin <= start + duration for begin, end in self.spans)
        # The last device synchronize is the profiler's own: one more or less is a matter of all.
        rivals = "DeviceSynchronize" in name and name in self.calls
        return overlaps or rivals or correlation in self.correlations


def sites_of(trace: Trace, report: Report) -> list[Untouched]:
    facts, slices = Facts(trace), trace.slices
    episodes, ends = facts.episodes, slices.start_ns + slices.duration_ns
    found = []
    for site, group in zip(report.sites, facts.sites, strict=True):
        positions = np.concatenate([episodes.first[group.members], episodes.joined[group.members]])
        rows = facts.calls.rows[positions[positions != NONE]]
        spans = tuple(zip(slices.start_ns[rows].tolist(), ends[rows].tolist(), strict=True))
        correlations = frozenset(slices.correlation[rows].tolist())
        found.append(Untouched(figures(site), site.calls, spans, correlations))
    return found


def rows(trace: Trace) -> Counter[Row]:
    return Counter((*row[:3], row[6]) for row in rows_of(trace))


def count_kept(whole: Original, other: Original, count: int, folder: Path, seed: int) -> int:
    """How many mutants had sites that were not met; all of these must be there with their figures."""
    clean = read_trace(write(folder, whole.content))
    expected, clean_rows, kept = sites_of(clean, report_of(clean)), rows(clean), 0
    for injured in mutants(whole, other, count, seed):
        if not injured.intact:
            continue
        trace = read_trace(write(folder, injured.content))
        # What damaged text was read as can lie anywhere, over the calls of a site as well.
        met = [*injured.touched, *(rows(trace) - clean_rows)]
        untouched = [site for site in expected if not any(site.is_met_by(row) for row in met)]
        found = [figures(site) for site in report_of(trace).sites]
        assert [site.figures for site in untouched if site.figures not in found] == [], injured.kind
        kept += bool(untouched)
    return kept


@pytest.mark.slow
def test_sites_that_were_not_touched_keep_their_figures(gpu_trace: Original, tmp_path: Path) -> None:
    assert count_kept(original(BERT), gpu_trace, 60, tmp_path, seed=0) > 30


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 9))
def test_sites_keep_their_figures_in_more_than_a_thousand_injuries(
    gpu_trace: Original, tmp_path: Path, seed: int, traces: Path
) -> None:
    """Eight times 200 mutants, of which 140 or more each have sites to be compared."""
    dlrm = original(next(traces.glob("dlrm_v100_8rank/worker1_*.json.gz")))

    assert count_kept(original(BERT), gpu_trace, 100, tmp_path, seed) >= 70
    assert count_kept(dlrm, original(BERT), 100, tmp_path, seed) >= 70
