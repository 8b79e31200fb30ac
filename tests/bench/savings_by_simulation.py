"""Are the predicted savings true? Judged by programs that are run again without their waits.

python tests/bench/savings_by_simulation.py [PROGRAMS]

prints the table that stands in `savings_by_simulation.md`.
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
sys.path[:0] = [str(TESTS / "simulated"), str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from judgment import Judgment, judge  # noqa: E402 - the path comes first
from later_traits import LATER_TRAITS  # noqa: E402
from prediction import ALL_SITES, PLANNED_SITES, Prediction  # noqa: E402
from prediction_table import HEAD, prediction_row  # noqa: E402
from random_programs import TRAITS, random_program  # noqa: E402

FIRST_SEED = 30_000
"""Seeds that were not looked at while the replay was being fixed."""

PROGRAMS = 1_000

COMPLICATIONS = frozenset(TRAITS) - {"autograd", "loader", "backlog"}


def main(programs: int = PROGRAMS) -> None:
    seeds = range(FIRST_SEED, FIRST_SEED + programs)
    judged = [judge(random_program(seed)) for seed in seeds]
    write(f"{datetime.date.today()}, {machine()}, seeds {seeds.start} to {seeds.stop - 1}.\n\n{HEAD}")
    write(row("all", judged))
    write(row("each site alone", judged, lambda each: each.site >= 0))
    write(row("all sites of a program together", judged, lambda each: each.site == ALL_SITES))
    write(row("the report's fix plan", judged, lambda each: each.site == PLANNED_SITES))
    for trait in ("host", "mixed", "device", *TRAITS, "shared", "long queue"):
        write(row(trait, [each for each in judged if trait in each.program.traits]))
    first = [each for each in judged if each.program.traits.isdisjoint(LATER_TRAITS)]
    write(row("none of the three added last", first))
    write(row("none of the complications", [e for e in judged if e.program.traits.isdisjoint(COMPLICATIONS)]))
    errors = [judgment.replay_error for judgment in judged]
    write(f"\nReplay of the unchanged window: error at most {max(errors):.2%}, ")
    write(f"above 1 % in {sum(error > 0.01 for error in errors)} of {len(errors)} programs.\n")


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def machine() -> str:
    cores = f"{os.cpu_count()} cores"
    return f"{platform.machine()}, {cores}, Python {platform.python_version()}, numpy {np.__version__}"


def row(name: str, judged: Sequence[Judgment], chosen: Callable[[Prediction], bool] = lambda _: True) -> str:
    """One line of the table, of the chosen predictions of these programs."""
    some = [each for judgment in judged for each in judgment.predictions if chosen(each)]
    return prediction_row(f"{name} ({len(judged)})", some)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
