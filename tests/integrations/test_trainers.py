"""Trainers with their callback: windows at the expected steps, the same losses, whatever ends a training."""

from __future__ import annotations

import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from script_runner import ScriptRunner

PROGRAMS = Path(__file__).parent
PATIENCE_S = 240

Scenarios = dict[str, Any]


@pytest.fixture(scope="module")
def scenarios_of(processes: ScriptRunner, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the program of a framework tells of each of its scenarios; it runs once."""

    @cache
    def run(framework: str) -> Scenarios:
        if importlib.util.find_spec(framework) is None:
            pytest.skip(f"{framework} is not installed: it is in an extra, `frameworks` or `more-frameworks`")
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


EXHAUSTIVE = ("composer", "fastai", "mmengine", "skorch", "stable_baselines3", "ultralytics")


def each(expected: dict[str, Any]) -> list[Any]:
    """The frameworks of a table; those that only the exhaustive tests run are marked."""
    marks = dict.fromkeys(EXHAUSTIVE, pytest.mark.exhaustive)
    return [pytest.param(name, marks=marks.get(name, ())) for name in expected]


ACCUMULATING = {
    "accelerate": ([], {"micro-batch": 16}),
    "composer": (["evaluation"], {"evaluation": 1}),
    "fastai": (["evaluation"], {"evaluation": 1}),
    "ignite": (["evaluation"], {}),
    "keras": (["evaluation"], {"micro-batch": 16, "evaluation": 1}),
    "lightning": (["evaluation"], {"micro-batch": 16, "evaluation": 1}),
    "mmengine": (["checkpointing", "evaluation"], {"evaluation": 1}),
    "skorch": (["evaluation"], {"evaluation": 1}),
    "stable_baselines3": ([], {"rollout": 4, "update": 4}),
    "transformers": (["checkpointing", "evaluation"], {"micro-batch": 16, "logging": 2, "evaluation": 1}),
    "ultralytics": (["checkpointing", "evaluation"], {"evaluation": 1}),
}
"""By framework: the phases that are left out of four steps, and the labels in them."""


@pytest.mark.parametrize("framework", each(ACCUMULATING))
def test_a_step_is_one_of_the_optimizer(scenarios_of: Any, framework: str) -> None:
    scenarios = scenarios_of(framework)
    (window,) = scenarios["accumulating"]["windows"]
    assert (window["steps"], window["facts"]) == ([5, 6, 7, 8], [5, 4])
    assert (window["phases"], window["labels"]) == ACCUMULATING[framework]
    assert scenarios["accumulating"]["result"] == scenarios["alone"]["result"]
    assert len(set(scenarios["alone"]["result"])) >= 3


RESUMED = {
    "accelerate": [[35, 36, 37, 38]],
    "ignite": [[35, 36, 37, 38]],
    "keras": [[35, 36, 37, 38]],
    "lightning": [[3, 4, 5], [12, 13, 14]],
    "mmengine": [[45, 46, 47, 48]],
    "transformers": [[15, 16, 17, 18]],
}


@pytest.mark.parametrize("framework", each(RESUMED))
def test_a_training_goes_on_from_its_checkpoint(scenarios_of: Any, framework: str) -> None:
    assert steps(scenarios_of(framework)["resumed"]) == RESUMED[framework]


# A fold has 6 steps. Of the second one 4 make a window, which begins with it. skorch's have 5 steps, of
# which none is recorded in the first, and those of Ultralytics 8: 3 of 4 are enough.
FOLDS = {
    **{framework: [[5], [7, 8, 9, 10]] for framework in ACCUMULATING},
    "skorch": [[6, 7, 8, 9]],
    "ultralytics": [[5, 6, 7]],
}


@pytest.mark.parametrize("framework", each(FOLDS))
def test_steps_of_short_folds_are_counted_on(scenarios_of: Any, framework: str) -> None:
    assert steps(scenarios_of(framework)["folds"]) == FOLDS[framework]


FAILING = {
    **{framework: [[5, 6]] for framework in ACCUMULATING},
    "lightning": [[5, 6, 7]],
    "stable_baselines3": [[5]],
}


@pytest.mark.parametrize("framework", each(FAILING))
def test_an_exception_in_a_window_leaves_what_was_recorded(scenarios_of: Any, framework: str) -> None:
    scenario = scenarios_of(framework)["failing"]
    assert scenario["result"].strip() == "diverged"
    assert steps(scenario) == FAILING[framework]


OWN_PROFILERS = {"lightning": "Lightning's PyTorchProfiler", "mmengine": "MMEngine's ProfilerHook"}


@pytest.mark.parametrize("framework", each(OWN_PROFILERS))
def test_a_framework_s_own_profiler_has_its_way(scenarios_of: Any, framework: str) -> None:
    scenario = scenarios_of(framework)["another profiler"]
    assert (scenario["windows"], scenario["result"]) == ([], True)
    assert f"Nothing is recorded: {OWN_PROFILERS[framework]} is at work" in scenario["said"]


ANOTHER_PROFILER = (
    "accelerate",
    "fastai",
    "ignite",
    "keras",
    "skorch",
    "stable_baselines3",
    "transformers",
    "ultralytics",
)
"""Accelerate runs it itself; beside the others a program does."""


@pytest.mark.parametrize("framework", each(dict.fromkeys(ANOTHER_PROFILER)))
def test_a_profiler_that_the_training_runs_has_its_way(scenarios_of: Any, framework: str) -> None:
    scenario = scenarios_of(framework)["another profiler"]
    assert (scenario["windows"], scenario["result"]) == ([], 1)
    assert "another profiler was at work each time that a window was due" in scenario["said"]


@pytest.mark.exhaustive
def test_an_off_policy_step_is_a_rollout_and_its_update_too(scenarios_of: Any) -> None:
    (window,) = scenarios_of("stable_baselines3")["off policy"]["windows"]
    assert (window["steps"], window["labels"]) == ([5, 6, 7, 8], {"rollout": 4, "update": 4})


@pytest.mark.exhaustive
def test_torchtitan_s_steps_are_those_of_its_checkpoint(scenarios_of: Any) -> None:
    scenarios = scenarios_of("torchtitan")
    assert (scenarios["fresh"]["windows"], scenarios["resumed"]["windows"]) == ([[13, 5]], [[113, 5]])


@pytest.mark.exhaustive
def test_torchtitan_s_own_profiler_has_its_way(scenarios_of: Any) -> None:
    scenario = scenarios_of("torchtitan")["another profiler"]
    assert (scenario["windows"], scenario["result"]) == ([], 3)


@pytest.mark.exhaustive
def test_ray_s_workers_publish_into_the_storage_of_the_run(scenarios_of: Any) -> None:
    workers = scenarios_of("ray")["workers"]
    assert workers["windows"] == {"rank0": [13, 5], "rank1": [13, 5]}
