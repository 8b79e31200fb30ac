"""Trainers with their callback: windows at the expected steps, the same losses, whatever ends a training."""

from __future__ import annotations

import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nursery import Nursery

PROGRAMS = Path(__file__).parent
PATIENCE_S = 240

Scenarios = dict[str, Any]


@pytest.fixture(scope="module")
def scenarios_of(processes: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the program of a framework tells of each of its scenarios; it runs once."""

    @cache
    def run(framework: str) -> Scenarios:
        if importlib.util.find_spec(framework) is None:
            pytest.skip(f"{framework} is not installed: it is in the extra `frameworks`")
        folder = tmp_path_factory.mktemp(framework)
        environment = {**os.environ, "TBPROF_SPOOL": str(folder / "spool"), "HF_HUB_OFFLINE": "1"}
        program = PROGRAMS / f"{framework}_trainings.py"
        ended = processes.run([program, folder], folder, environment, limit_s=PATIENCE_S)
        assert ended.exit_code == 0, ended.stderr
        told = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('{"scenario"')]
        return {answers["scenario"]: {**answers, "said": ended.stderr} for answers in told}

    return run


def steps(scenario: Scenarios) -> list[list[int]]:
    """Those marked in each window, without the one that was open when it ended."""
    return [window["steps"][: window["facts"][1]] for window in scenario["windows"]]


ACCUMULATING = {
    "lightning": (["evaluation"], {"micro-batch": 16, "evaluation": 1}),
    "transformers": (["checkpointing", "evaluation"], {"micro-batch": 16, "logging": 2, "evaluation": 1}),
}
"""By framework: the phases that are left out of four steps, and the labels in them."""


@pytest.mark.parametrize("framework", ACCUMULATING)
def test_a_step_is_one_of_the_optimizer(scenarios_of: Any, framework: str) -> None:
    scenarios = scenarios_of(framework)
    (window,) = scenarios["accumulating"]["windows"]
    assert (window["steps"], window["facts"]) == ([5, 6, 7, 8], [5, 4])
    assert (window["phases"], window["labels"]) == ACCUMULATING[framework]
    assert scenarios["accumulating"]["result"] == scenarios["alone"]["result"]
    assert len(scenarios["alone"]["result"]) >= 9


RESUMED = {"lightning": [[3, 4, 5], [12, 13, 14]], "transformers": [[15, 16, 17, 18]]}


@pytest.mark.parametrize("framework", RESUMED)
def test_a_training_goes_on_from_its_checkpoint(scenarios_of: Any, framework: str) -> None:
    assert steps(scenarios_of(framework)["resumed"]) == RESUMED[framework]


@pytest.mark.parametrize("framework", ["lightning", "transformers"])
def test_steps_of_short_folds_are_counted_on(scenarios_of: Any, framework: str) -> None:
    # A fold has 6 steps. Of the second one 4 make a window, which begins with it.
    assert steps(scenarios_of(framework)["folds"]) == [[5], [7, 8, 9, 10]]


FAILING = {"lightning": [[5, 6, 7]], "transformers": [[5, 6]]}


@pytest.mark.parametrize("framework", FAILING)
def test_an_exception_in_a_window_leaves_what_was_recorded(scenarios_of: Any, framework: str) -> None:
    scenario = scenarios_of(framework)["failing"]
    assert scenario["result"] == "diverged"
    assert steps(scenario) == FAILING[framework]


def test_lightning_s_own_profiler_has_its_way(scenarios_of: Any) -> None:
    scenario = scenarios_of("lightning")["another profiler"]
    assert (scenario["windows"], scenario["result"]) == ([], True)
    assert "Nothing is recorded: Lightning's PyTorchProfiler is at work" in scenario["said"]
