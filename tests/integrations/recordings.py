"""What the programs beside this file print of their trainings, for the tests to judge."""

from __future__ import annotations

import gzip
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import tbprof
from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()  # Beside a CPU build of torch it does not import by itself, and frameworks would.

SCHEDULE = tbprof.Schedule(skip_first=4, warmup=1, active=4)
"""Records the steps 5 to 8."""

LABELS = ("micro-batch", "logging", "evaluation", "rollout", "update")

logging.getLogger("tbprof").addHandler(logging.StreamHandler(sys.stderr))


def windows(hook: tbprof.TrainerHook, logdir: Path) -> list[dict[str, Any]]:
    """Of each window its steps, phases and labels, in the order in which they were recorded."""
    hook.close(wait_s=60)
    assert not torch.autograd._profiler_enabled()
    traces = sorted(logdir.glob("*.trace.json.gz"))
    return [_window(json.loads(gzip.decompress(path.read_bytes()))) for path in traces]


def _window(trace: dict[str, Any]) -> dict[str, Any]:
    facts = trace["tbprof"]
    names = [event["name"] for event in trace["traceEvents"] if event.get("cat") == "user_annotation"]
    return {
        "steps": [int(name.partition("#")[2]) for name in names if name.startswith("ProfilerStep#")],
        "facts": [facts["first_step"], facts["recorded_steps"]],
        "phases": sorted(facts["phases_left_out"]),
        "labels": {name: names.count(name) for name in LABELS if name in names},
    }


def tell(scenario: str, **answers: Any) -> None:
    """Print the answers of one scenario, on a line of its own: progress bars leave theirs open."""
    print("\n" + json.dumps({"scenario": scenario, **answers}), flush=True)


def recorded(
    folder: Path,
    scenario: str,
    train: Callable[[tbprof.TrainerHook], Any],
    schedule: tbprof.Schedule = SCHEDULE,
) -> None:
    """Run a training, or several, with one hook, and tell what was recorded and what `train` returns."""
    logdir = folder / scenario
    hook = tbprof.TrainerHook(logdir, schedule=schedule)
    result = train(hook)
    tell(scenario, windows=windows(hook, logdir), result=result)


def recorded_beside_a_profiler(folder: Path, train: Callable[[tbprof.TrainerHook], Any]) -> None:
    """The same in a program that runs a profiler of its own; tells whether that one saw operators."""
    theirs: list[int] = []
    cpu = [torch.profiler.ProfilerActivity.CPU]

    def both(hook: tbprof.TrainerHook) -> bool:
        with torch.profiler.profile(
            activities=cpu, on_trace_ready=lambda done: theirs.append(len(done.key_averages()))
        ):
            train(hook)
        return len(theirs) == 1 and theirs[0] > 0

    recorded(folder, "another profiler", both)
