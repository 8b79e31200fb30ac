"""What a failing disk does to a training that is profiled: `python tests/bench/faults.py`.

Each operation by which a small training and its publishing process change the disk is made to
fail, with six errors, once and from there on; and both are killed at each. The same with torch's
own `tensorboard_trace_handler`. Needs a C compiler; takes an hour. Prints the table of `faults.md`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "hook" / "faults")]

from failing_disk import KILLED, Fault, build  # noqa: E402
from nursery import nursery  # noqa: E402
from trials import WINDOWS, Laboratory, Trial, faults, kills  # noqa: E402

HEADER = """| handler, and what fails | trials | training ended | windows lost in silence | lost and told | \
wait for the next start | corrupt under a published name | half-written files left, and after the next start |
|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Row:
    """Trials of one kind."""

    name: str
    how: str
    in_child: bool
    plan: Callable[..., Iterator[Fault]]


ROWS = (
    Row("stock, `.json`", "stock", False, faults),
    Row("stock, `.json.gz`", "stock-gz", False, faults),
    Row("tbprof: the training's operations", "window", False, faults),
    Row("tbprof: those of the publishing process", "window", True, faults),
    Row("tbprof: taking over what an earlier run left", "adopts", False, faults),
    Row("stock, `.json`: SIGKILL", "stock", False, kills),
    Row("stock, `.json.gz`: SIGKILL", "stock-gz", False, kills),
    Row("tbprof: SIGKILL of the training", "window", False, kills),
    Row("tbprof: SIGKILL of the publishing process", "window", True, kills),
)


class Tally:
    """Counts what became of trials."""

    def __init__(self) -> None:
        self.trials = self.ended = self.silent = self.told = self.waiting = self.corrupt = 0
        self.left = 0
        self.left_later: int | None = None

    def add(self, trial: Trial, bare_exit_code: int | None) -> None:
        is_stock = trial.how.startswith("stock")
        present = trial.seen.traces if is_stock else trial.seen.published | trial.seen.waiting
        lost = 0 if trial.is_killed else WINDOWS[trial.how] - len(present)
        has_told = trial.ended.exit_code != bare_exit_code if is_stock else "WARNING" in trial.ended.stderr
        self.trials += 1
        self.ended += not trial.is_killed and trial.ended.exit_code != bare_exit_code
        self.silent += 0 if has_told else lost
        self.told += lost if has_told else 0
        self.waiting += len(trial.seen.waiting - trial.seen.published)
        self.corrupt += len(trial.seen.corrupt)
        self.left += len(trial.seen.leftovers)

    def add_next_start(self, trial: Trial) -> None:
        self.left_later = (self.left_later or 0) + len(trial.seen.leftovers)

    def cells(self) -> str:
        left = str(self.left) if self.left_later is None else f"{self.left}, {self.left_later}"
        counts = (self.trials, self.ended, self.silent, self.told, self.waiting, self.corrupt)
        return " | ".join([*map(str, counts), left])


def tally(laboratory: Laboratory, row: Row) -> Tally:
    """Make the trials of a row; what breaks a promise of tbprof's is said on stderr."""
    counts, is_stock = Tally(), row.how.startswith("stock")
    operations = laboratory.operations(row.how, in_child=row.in_child)
    for fault in row.plan(operations, in_child=row.in_child):
        trial = laboratory.trial(row.how, fault)
        counts.add(trial, laboratory.bare.exit_code)
        broken = [] if is_stock else list(trial.broken_promises(laboratory.bare))
        if not is_stock and fault.error == KILLED:
            after = laboratory.next_start(trial)
            counts.add_next_start(after)
            broken += after.seen.leftovers
        if broken:
            sys.stderr.write(f"{row.name}: {fault}: {trial.operation}: {broken}\n")
        shutil.rmtree(trial.folder)
    return counts


def main() -> None:
    lines = [f"{date.today()}, 2 cores x86-64, Python {sys.version.split()[0]}\n", HEADER]
    with tempfile.TemporaryDirectory() as folder, nursery(build(Path(folder))) as processes:
        laboratory = Laboratory(processes, Path(folder))
        for row in ROWS:
            lines.append(f"| {row.name} | {tally(laboratory, row).cells()} |")
            sys.stderr.write(f"{lines[-1]}\n")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
