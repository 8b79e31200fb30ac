"""Whatever happens to the bytes of a trace costs the events that it meets, and nothing else."""

from __future__ import annotations

import os
import statistics
import time
from collections import Counter
from pathlib import Path

import pytest
from trace_mutants import Mutant, Original, Verdict, cpu_limit, mutants
from trace_samples import classic, complete, rows_of, write

from tbprof.errors import TraceError
from tbprof.report import report_of
from tbprof.trace.importers.kineto.reader import read_trace

LOOKED_AT = 10
"""Of one in so many mutants the whole report is made."""


def judge(injured: Mutant, number: int, folder: Path) -> Verdict:
    path = write(folder, injured.content, packed=number % 5 == 0)
    try:
        trace = read_trace(path)
    except TraceError:
        return Verdict(injured, opened=False, kept=Counter())
    if number % LOOKED_AT == 0:
        assert report_of(trace).failed_rules == ()
    assert all(name == name.encode().decode() for name in trace.names)
    return Verdict(injured, opened=True, kept=Counter((*row[:3], row[6]) for row in rows_of(trace)))


def judge_many(whole: Original, other: Original, count: int, folder: Path, seed: int) -> list[Verdict]:
    """Each within ten times what the whole trace takes, and a second."""
    path = write(folder, whole.content)
    started_s = time.process_time()
    report_of(read_trace(path))
    limit_s = 1 + 10 * (time.process_time() - started_s)
    verdicts = []
    for number, injured in enumerate(mutants(whole, other, count, seed)):
        with cpu_limit(limit_s):
            verdicts.append(judge(injured, number, folder))
    return verdicts


def check(verdicts: list[Verdict]) -> None:
    readable = [verdict for verdict in verdicts if verdict.mutant.intact]
    assert sum(verdict.opened for verdict in readable) >= 0.99 * len(readable)
    assert statistics.mean(verdict.share for verdict in readable) >= 0.98
    assert min(verdict.share for verdict in readable if verdict.opened) >= 0.9


pytestmark = pytest.mark.skipif(os.name == "nt", reason="the processor's time can't be limited there")


@pytest.mark.slow
def test_an_injury_costs_the_events_that_it_meets(
    cpu_trace: Original, gpu_trace: Original, tmp_path: Path
) -> None:
    check(judge_many(cpu_trace, gpu_trace, 120, tmp_path, seed=0))
    check(judge_many(gpu_trace, cpu_trace, 120, tmp_path, seed=0))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 21))
def test_ten_thousand_injuries_cost_the_events_that_they_meet(
    cpu_trace: Original, gpu_trace: Original, tmp_path: Path, seed: int
) -> None:
    check(judge_many(cpu_trace, gpu_trace, 250, tmp_path, seed))
    check(judge_many(gpu_trace, cpu_trace, 250, tmp_path, seed))


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
