"""Whatever happens to the bytes of a trace costs the events that it meets, and nothing else."""

from __future__ import annotations

import random
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from trace_mutants import Mutant, Original, Verdict, mutant, sample
from trace_samples import classic, complete, rows_of, write

from tbprof.analysis.facts import Facts
from tbprof.errors import TraceError
from tbprof.trace.columns import Trace
from tbprof.trace.reader import read_trace

CLEAN = "h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"
BERT = "h100_bert_small_infer/h100_bert_small.json.gz"


def judge(injured: Mutant, folder: Path) -> tuple[Verdict, Trace | None]:
    try:
        trace = read_trace(write(folder, injured.content))
    except TraceError:
        return Verdict(injured, opened=False, kept=Counter()), None
    return Verdict(injured, opened=True, kept=Counter(row[:3] for row in rows_of(trace))), trace


def judge_many(original: Original, other: Original, count: int, folder: Path, seed: int) -> list[Verdict]:
    rng = random.Random(seed)
    return [judge(mutant(original, other.content, rng), folder)[0] for _ in range(count)]


def check(verdicts: list[Verdict]) -> None:
    readable = [verdict for verdict in verdicts if verdict.mutant.intact]
    assert sum(verdict.opened for verdict in readable) >= 0.99 * len(readable)
    assert statistics.mean(verdict.share for verdict in readable) >= 0.98
    assert min(verdict.share for verdict in readable if verdict.opened) >= 0.9


def test_an_injury_costs_the_events_that_it_meets(tmp_path: Path) -> None:
    check(judge_many(sample(CLEAN), sample(BERT), 500, tmp_path, seed=20261120))


@pytest.mark.exhaustive
def test_ten_thousand_injuries_cost_the_events_that_they_meet(tmp_path: Path) -> None:
    check(judge_many(sample(CLEAN), sample(BERT), 9_000, tmp_path, seed=1))
    check(judge_many(sample(BERT), sample(CLEAN), 1_000, tmp_path, seed=2))


def figures(trace: Trace) -> list[tuple[Any, ...]]:
    """Of each site what a reader of the report would see."""
    facts = Facts(trace)
    episodes = facts.episodes
    return [
        (
            *(site.direction, site.memory, site.calls, site.ops, site.source),
            int(episodes.bytes[site.members].sum()),
            int(episodes.wait_ns[site.members].sum()),
        )
        for site in facts.sites
    ]


def span_of_sites(trace: Trace) -> tuple[int, int]:
    """From the start of the first call of the sites to the end of the last."""
    facts, slices = Facts(trace), trace.slices
    rows = facts.calls.rows[facts.episodes.first]
    # The synchronise that a copy is joined to follows within its op.
    return int(slices.start_ns[rows].min()), int((slices.start_ns + slices.duration_ns)[rows].max()) + 200_000


def check_sites(count: int, folder: Path, seed: int) -> None:
    original, other, rng = sample(BERT), sample(CLEAN), random.Random(seed)
    whole = read_trace(write(folder, original.content))
    expected, span = figures(whole), span_of_sites(whole)
    assert len(expected) > 0
    checked = 0
    for _ in range(count):
        injured = mutant(original, other.content, rng)
        if injured.touches(*span):
            continue
        _, trace = judge(injured, folder)
        assert trace is not None
        assert [site for site in figures(trace) if site in expected] == expected, injured.kind
        checked += 1
    assert checked > count / 4


def test_sites_that_were_not_touched_keep_their_figures(tmp_path: Path) -> None:
    check_sites(60, tmp_path, seed=3)


@pytest.mark.exhaustive
def test_sites_that_were_not_touched_keep_their_figures_in_a_thousand_injuries(tmp_path: Path) -> None:
    check_sites(1_000, tmp_path, seed=4)


FAILED_ONCE = {
    "a byte that is no UTF-8 in an argument that is kept as it stands": (b'"float"', b'"fl\xceat"'),
    "a control character there": (b'"float"', b'"fl\x01at"'),
    "a number that no float holds": (b'"External id": 7', b'"External id": 1e999'),
}


@pytest.mark.parametrize("case", FAILED_ONCE)
def test_what_failed_once_is_read(tmp_path: Path, case: str) -> None:
    op = complete("aten::add", 5.5, 1.5, **{"External id": 7, "Input type": ["float"]})
    content = classic([op, complete("aten::mul", 8.5, 1.5)])
    before, after = FAILED_ONCE[case]

    trace = read_trace(write(tmp_path, content.replace(before, after)))

    assert [row[:3] for row in rows_of(trace)] == [(5500, 1500, "aten::add"), (8500, 1500, "aten::mul")]
