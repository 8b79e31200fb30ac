"""What the hook costs a training, side by side with torch's own handlers, in one run.

    python tests/bench/hook_cost.py [--rounds 7] > tests/bench/hook_cost.md

All times are CPU time of the training thread, so that other programs of the machine count for
little; each figure is the least of its rounds, since what others add they only add, and the
rounds of all of them alternate.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import median

import torch
from hook_cost_measures import (
    audited_step,
    hook_idle_step,
    hook_window,
    marked_steps,
    stock_idle_step,
    stock_window,
)
from hook_cost_models import MODELS
from hook_cost_recorded import SURROUNDINGS, own_times_in_recorded_steps

MS = 1000.0
US = 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cores = len(os.sched_getaffinity(0))
    print("# What the hook costs\n")
    print("What `python tests/bench/hook_cost.py` printed.\n")
    print(
        f"{date.today().isoformat()}, {platform.machine()}, {cores} cores,"
        f" Python {platform.python_version()}, torch {torch.__version__},"
        f" load {os.getloadavg()[0]:.1f} at the start. CPU time of the training thread,"
        f" the least of {options.rounds} rounds.\n"
    )
    print("| model | what | ms | peer | ms | ratio | wanted |\n|---|---|---|---|---|---|---|")
    for name, make in MODELS.items():
        for row in rows_of(make(), options.rounds):
            print(f"| {name} | {row}", flush=True)
    print_marks(options.rounds)
    print_idle(options.rounds)
    print_recorded(options.rounds)


def rows_of(training_step: Callable[[], None], rounds: int) -> list[str]:
    """One model's table, a row for each promise."""
    for _ in range(5):
        training_step()
    # It searches for the program's loaders and optimizers; the others find that there is none that is new.
    with tempfile.TemporaryDirectory() as folder:
        first = hook_window(training_step, Path(folder))
    least = alternated(
        {
            "hook": lambda folder: hook_window(training_step, folder),
            "plain": lambda folder: stock_window(training_step, folder, use_gzip=False),
            "gzip": lambda folder: stock_window(training_step, folder, use_gzip=True),
            "stacks": lambda folder: stock_window(training_step, folder, use_gzip=False, with_stack=True),
            "audit": lambda _: {"step": audited_step(training_step)},
        },
        rounds,
    )
    hook, plain = least["hook"], least["plain"]
    return [
        row("stall per window", hook["stall"], "handler, gzip", least["gzip"]["stall"], "at most 0.2"),
        row("stall per window", hook["stall"], "handler, plain", plain["stall"], "at most 1.3"),
        row("stall of the first window", first["stall"], "handler, plain", plain["stall"], "-"),
        row("recorded step", hook["step"], "plain profiler", plain["step"], "at most 1.05"),
        row("audit step", least["audit"]["step"], "with_stack", least["stacks"]["step"], "at most 1.5"),
    ]


def alternated(
    measures: dict[str, Callable[[Path], dict[str, float]]], rounds: int
) -> dict[str, dict[str, float]]:
    """The least of each figure of each measure, in seconds."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            with tempfile.TemporaryDirectory() as folder:
                found[name].append(measure(Path(folder)))
    return {
        name: {figure: min(one[figure] for one in each) for figure in each[0]} for name, each in found.items()
    }


def row(what: str, ours_s: float, peer: str, theirs_s: float, wanted: str) -> str:
    ratio = ours_s / theirs_s
    return f"{what} | {ours_s * MS:.1f} | {peer} | {theirs_s * MS:.1f} | {ratio:.2f} | {wanted} |"


def print_marks(rounds: int) -> None:
    """Recorded steps with marked modules beside such without, in turns in one recording."""
    print("\n| recorded steps, median ms | without marks | with marks | ratio, median of pairs | wanted |")
    print("|---|---|---|---|---|")
    for name, make in MODELS.items():
        pairs = [pair for _ in range(rounds) for pair in marked_steps(make())]
        without_s, marked_s = (median(times) * MS for times in zip(*pairs, strict=True))
        ratio = median(marked / without for without, marked in pairs)
        print(f"| {name} | {without_s:.2f} | {marked_s:.2f} | {ratio:.3f} | at most 1.05 |", flush=True)


def print_idle(rounds: int) -> None:
    """Steps outside every window, in a loop that does nothing else."""
    ours = min(hook_idle_step() for _ in range(rounds))
    theirs = min(stock_idle_step() for _ in range(rounds))
    print(f"\n- a step outside windows: {ours * 1e6:.2f} us (wanted: under 1 us)")
    print(f"- a step of a waiting stock profiler: {theirs * 1e6:.2f} us, {theirs / ours:.0f} x as much")


def print_recorded(rounds: int) -> None:
    """What the hook's own code takes of recorded steps, each the least of its rounds."""
    # A GPU that is played does no work, and the hook says so of each window.
    logging.getLogger("tbprof").disabled = True
    print("\n| own code of the hook in a recorded step | median us | the first | the longest of the others |")
    print("|---|---|---|---|")
    for name, surroundings in SURROUNDINGS.items():
        each: list[list[float]] = []
        for _ in range(rounds):
            with surroundings():
                each.append(own_times_in_recorded_steps())
        first, *others = (min(times) * US for times in zip(*each, strict=True))
        print(f"| {name} | {median(others):.1f} | {first:.1f} | {max(others):.1f} |")
    print("\nWanted: under 20 us. The first one finds cold caches: torch has just started its recording.")


if __name__ == "__main__":
    sys.exit(main())
