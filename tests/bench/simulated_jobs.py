"""Is the late rank of a job named right, and its cause? Judged by jobs that are run again without the cause.

python tests/bench/simulated_jobs.py [JOBS [JOBS READ FROM TRACES]]

prints the tables that stand in `simulated_jobs.md`.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "simulated"), str(TESTS / "support"), str(TESTS.parent)]

from job_judgment import JudgedStep, judge_job, judge_mixed_job  # noqa: E402 - the path comes first
from random_jobs import FAMILIES, STYLES  # noqa: E402

from tbprof.job.what_if_times import MOST_ERROR  # noqa: E402

FIRST_SEED = 3_000
"""Seeds that were not looked at while the analysis was being fixed."""

JOBS = 500

MIXED = range(7_000, 7_140)
"""Seeds of jobs in which two causes make a rank late."""

FROM_TRACES = 200
"""Of these jobs the first, written as a trace a rank and read again."""

HEAD = (
    "| steps | late rank | family of its cause | its line | step without it within 5 % | in the bracket | "
    "error: median | 90 % |\n|---|---|---|---|---|---|---|---|"
)


def main(jobs: int = JOBS, from_traces: int = FROM_TRACES) -> None:
    seeds = range(FIRST_SEED, FIRST_SEED + jobs)
    judged = [judge_job(seed) for seed in seeds]
    steps = [step for job in judged for step in job.steps]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    write(f"{datetime.date.today()}, {machine}, numpy {np.__version__},")
    write(f"seeds {seeds.start} to {seeds.stop - 1}.\n\n{HEAD}")
    write_rows(steps)
    errors = [job.analysis.estimates.error for job in judged if job.analysis.estimates is not None]
    known = [error for error in errors if error is not None]
    without = sum(error > MOST_ERROR for error in known)
    write(f"\nReplay of what was recorded: error at most {max(known):.1%};")
    write(f"above {MOST_ERROR:.0%}, and so without an estimate, in {without} of {len(judged)} jobs.")
    write_mixed()
    write(f"\nThe first {from_traces} of them, read from traces:\n\n{HEAD}")
    write_rows([step for seed in seeds[:from_traces] for step in judge_job(seed, through_traces=True).steps])


def write_mixed() -> None:
    steps = [step for seed in MIXED for step in judge_mixed_job(seed)]
    named = sum(step.is_largest_named for step in steps) / len(steps)
    both = sum(step.said.near_cause is not None for step in steps) / len(steps)
    alone = [step for step in steps if step.said.near_cause is None]
    right = sum(step.is_largest_named for step in alone) / len(alone)
    write(
        f"\nTwo causes, seeds {MIXED.start} to {MIXED.stop - 1}, {len(steps)} steps: the larger is named in"
    )
    write(f"{named:.1%}. Two are named in {both:.1%}; where one is, it is the larger in {right:.1%}.")


def write_rows(steps: Sequence[JudgedStep]) -> None:
    write(row("all", steps))
    for family in FAMILIES:
        write(row(family, [step for step in steps if step.family == family]))
    for style in STYLES:
        write(row(style, [step for step in steps if step.style == style]))


def row(name: str, steps: Sequence[JudgedStep]) -> str:
    errors = [step.error for step in steps if step.error is not None]
    cells = (
        f"{name} ({len(steps)})",
        share(steps, lambda step: step.is_rank_right),
        share(steps, lambda step: step.is_family_right),
        share(steps, lambda step: step.is_line_right),
        share(steps, lambda step: None if step.error is None else step.error <= 0.05),
        share(steps, lambda step: step.is_inside),
        *(f"{error:.1%}" for error in np.percentile(errors or [np.nan], (50, 90))),
    )
    return f"| {' | '.join(cells)} |"


def share(steps: Sequence[JudgedStep], figure: Callable[[JudgedStep], bool | None]) -> str:
    known = [value for value in map(figure, steps) if value is not None]
    return f"{sum(known) / len(known):.1%}" if known else "no line"


def write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
