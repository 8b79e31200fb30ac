"""Are loops over items found, is what they save true, and is nothing else taken for one?

python tests/bench/loops_by_simulation.py [PROGRAMS]

prints the tables that stand in `loops_by_simulation.md`.
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

from loop_pieces import REPETITIONS  # noqa: E402 - the path comes first
from rewrite_judgment import alarms_of_repetition, judge_rewrite  # noqa: E402

FIRST_SEED = 95_000
"""Seeds that were not looked at before."""

PROGRAMS = 300

FIX = "all items at once"


def main(programs: int = PROGRAMS) -> None:
    seeds = range(FIRST_SEED, FIRST_SEED + programs)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.date.today()}, {machine}, numpy {np.__version__}, seeds from {seeds[0]} on.\n")
    judged = [one for seed in seeds if (one := judge_rewrite(FIX, seed)) is not None]
    above = [one for one in judged if one.true_ns > one.predicted.ceiling_ns + one.slack_ns]
    truth = np.median([one.true_ns / one.window_ns for one in judged])
    ceiling = np.median([one.predicted.ceiling_ns / one.window_ns for one in judged])
    most = max(((one.true_ns - one.predicted.ceiling_ns) / one.window_ns for one in above), default=0.0)
    print("| with loops | found | under the ceiling | most above it | truth: median | ceiling: median |")
    print("|---|---|---|---|---|---|")
    under = 1 - len(above) / max(len(judged), 1)
    print(f"| {programs} | {len(judged)} | {under:.1%} | {most:.1%} | {truth:.1%} | {ceiling:.1%} |\n")
    print("| programs without | number | alarms |\n|---|---|---|")
    kinds = ("", *REPETITIONS)
    for number, kind in enumerate(kinds):
        mine = seeds[number :: len(kinds)]
        alarms = sum(alarms_of_repetition(kind, seed) for seed in mine)
        print(f"| {kind or 'as drawn'} | {len(mine)} | {alarms} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
