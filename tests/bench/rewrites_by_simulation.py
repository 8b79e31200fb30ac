"""Are the brackets of checks true? Judged by programs that are run again with one piece of code rewritten.

python tests/bench/rewrites_by_simulation.py [PROGRAMS [FIX ...]]

prints the table that stands in `rewrites_by_simulation.md`.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "simulated"), str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from prediction import Prediction  # noqa: E402
from random_rewrites import CHECKED_BY  # noqa: E402 - the path comes first
from rewrite_judgment import judge_batch, judge_rewrite  # noqa: E402

FIRST_SEED = 91_000
"""Seeds that were not looked at while the brackets were being fixed."""

PROGRAMS = 300
"""Of each fix at least; more where fewer than `TRUTHS` of them have the finding, up to `MOST`."""

TRUTHS, MOST = 200, 3_000

HEAD = """| the fix | check | truths | in the bracket | above it | below it | median truth | median ceiling |
|---|---|---|---|---|---|---|---|"""


def main(programs: int = PROGRAMS, *fixes: str) -> None:
    seeds = range(FIRST_SEED, FIRST_SEED + programs)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.date.today()}, {machine}, numpy {np.__version__}, seeds from {seeds[0]} on.\n")
    print(HEAD)
    for fix in fixes or CHECKED_BY:
        judged = _judged(fix, programs)
        above = np.mean([one.true_ns > one.predicted.ceiling_ns + one.slack_ns for one in judged])
        below = np.mean([one.true_ns < one.predicted.floor_ns - one.slack_ns for one in judged])
        truth = np.median([one.true_ns / one.window_ns for one in judged])
        ceiling = np.median([one.predicted.ceiling_ns / one.window_ns for one in judged])
        shares = " | ".join(f"{share:.1%}" for share in (1 - above - below, above, below, truth, ceiling))
        print(f"| {fix} | {CHECKED_BY[fix]} | {len(judged)} | {shares} |", flush=True)
    if fixes:
        return
    batches = [one for seed in seeds if (one := judge_batch(seed)) is not None]
    inside = np.mean([one.is_inside for one in batches])
    print(f"\nA larger batch (LCH07): {inside:.1%} of {len(batches)} within what is said of a sample's time.")


def _judged(fix: str, programs: int) -> list[Prediction]:
    judged: list[Prediction] = []
    for number in range(MOST):
        if number >= programs and (len(judged) >= TRUTHS or programs < PROGRAMS):
            break
        one = judge_rewrite(fix, FIRST_SEED + number)
        judged += [] if one is None else [one]
    return judged


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
