"""The parts of a run's time, from marks and samples at known instants."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from types import CodeType
from typing import Any

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given
from timeouts import PATIENCE_S

from tbprof.hook.pause_places import PausePlaces, part_of_name
from tbprof.hook.run_ledger import OUTSIDE, RunLedger
from tbprof.hook.step_clock import Mark
from tbprof.program.caller_frame import TORCH

MS = 1_000_000
STEP = 10 * MS


def evaluate() -> None: ...


def train_step() -> None: ...


def train_and_evaluate() -> None: ...


def stack(*functions: Any) -> tuple[object, ...]:
    """A sample in these functions, the innermost first."""
    codes = [one if isinstance(one, CodeType) else one.__code__ for one in functions]
    return tuple(value for code in codes for value in (code, 7))


LOADER = torch.utils.data.dataloader._MultiProcessingDataLoaderIter.__init__
SAVE, EVALUATE, STEPPING = stack(torch.save), stack(train_step, evaluate), stack(train_step)


class Scene:
    """A run that begins 1 s after its process, with steps of 10 ms."""

    def __init__(self) -> None:
        self.now = 1000 * MS
        self.marks: list[Mark] = [self.now]
        self.samples: list[tuple[int, tuple[object, ...]]] = []
        self.steps(30)

    def steps(self, number: int, length: int = STEP) -> None:
        self.now += number * length
        self.marks.append([length] * number)

    def gap(self, *parts: tuple[tuple[object, ...], int]) -> None:
        """A step with other things before it, which are sampled each 20 ms from 30 ms on."""
        began, spans = self.now, list(parts)
        for stack_, length in spans:
            end = self.now + length
            times = range(self.now + 5 * MS, end, 20 * MS)
            self.samples += [(at, stack_) for at in times if at > began + 30 * MS]
            self.now = end
        self.now += STEP
        self.marks.append([self.now - began])

    def phase(self, name: str, length: int) -> None:
        self.marks.append((name, self.now))
        self.now += length
        self.marks += [(None, self.now), self.now]

    def ledger(self) -> RunLedger:
        def until(end: int) -> list[tuple[int, tuple[object, ...]]]:
            found = [one for one in self.samples if one[0] <= end]
            self.samples = [one for one in self.samples if one[0] > end]
            return found

        ledger = RunLedger(0, until)
        ledger.take(self.marks)
        return ledger

    def parts(self) -> dict[str, float]:
        return {one.part: one.ns / MS for one in self.ledger().parts}


def test_usual_steps_are_steps_and_what_came_before_is_the_start() -> None:
    assert Scene().parts() == {"start": 1000.0, "steps": 300.0}


def test_a_pause_goes_to_what_its_samples_say_and_its_step_stays_one() -> None:
    scene = Scene()
    scene.gap((EVALUATE, 400 * MS), (SAVE, 300 * MS), (stack(LOADER, train_step), 100 * MS))
    parts = scene.parts()
    assert parts["steps"] == pytest.approx(310, abs=11)
    for part, truth in (("evaluation", 400), ("checkpoint", 300), ("data", 100)):
        assert parts[part] == pytest.approx(truth, abs=20), part
    assert sum(parts.values()) * MS == scene.now


def test_a_pause_after_the_usual_work_of_a_step_leaves_that_work_to_the_step() -> None:
    scene = Scene()
    scene.now += STEP
    scene.gap((SAVE, 300 * MS))
    parts = scene.parts()
    assert parts["steps"] == pytest.approx(310, abs=11)
    assert parts["checkpoint"] == pytest.approx(310, abs=11)


def test_first_and_slow_steps_lose_what_they_take_beyond_the_usual() -> None:
    scene = Scene()
    scene.steps(2, 25 * MS)
    scene.gap((STEPPING, 500 * MS))
    ledger = scene.ledger()
    parts = {one.part: (one.ns / MS, one.count) for one in ledger.parts}
    assert parts["slow"] == (pytest.approx(30 + 500, abs=11), 3)
    [pause] = ledger.pauses
    assert pause.place.endswith("train_step") and pause.step == 33
    cold = Scene()
    cold.marks = [1000 * MS, [100 * MS, *[STEP] * 19]]
    assert cold.parts() == {"start": 1090.0, "steps": 200.0}


def test_steps_that_come_together_are_what_they_are_one_by_one() -> None:
    lengths = [100 * MS, *[STEP] * 50, 35 * MS, 12 * MS, *[STEP + 1] * 9, 400 * MS, STEP]
    together, apart = RunLedger(0, lambda _: []), RunLedger(0, lambda _: [])
    together.take([1000 * MS, lengths, lengths])
    apart.take([1000 * MS, *([length] for length in 2 * lengths)])
    for name in ("steps", "at_ns", "usual_ns", "parts", "lengths", "pauses"):
        assert getattr(together, name) == getattr(apart, name), name
    assert together.steps == 2 * len(lengths)


def test_phases_and_what_lies_between_trainings_are_parts_of_their_own() -> None:
    scene = Scene()
    scene.phase("evaluation", 200 * MS)
    scene.steps(1)
    scene.phase("Checkpointing", 100 * MS)
    scene.steps(1)
    scene.phase("generate samples", 50 * MS)
    scene.marks.append((OUTSIDE, scene.now))
    scene.now += 70 * MS
    scene.marks.append(scene.now)
    scene.steps(5)
    assert scene.parts() == {
        "start": 1000,
        "steps": 370,
        "evaluation": 200,
        "checkpoint": 100,
        "phase": 50,
        "outside": 70,
    }


def test_what_runs_around_the_steps_says_nothing_of_a_pause() -> None:
    places = PausePlaces()
    assert places.part(stack(train_step, train_and_evaluate)) == "evaluation"

    def validate_model() -> None:
        places.note_step()

    validate_model()
    assert places.part(stack(train_step, validate_model)) is None
    assert places.part(stack(sys._getframe().f_code)) is None


def test_to_import_the_compiler_is_not_to_compile() -> None:
    imported = compile("def convert(): pass", f"{TORCH}_dynamo/convert_frame.py", "exec")
    convert = next(each for each in imported.co_consts if isinstance(each, CodeType))
    assert [PausePlaces().part((code, 1)) for code in (imported, convert)] == [None, "compile"]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((name, "evaluation") for name in ("evaluate", "_run_validation", "eval_epoch", "validate", "test")),
        *((name, "checkpoint") for name in ("save_checkpoint", "save_pretrained", "save", "_save_model")),
        *((name, None) for name in ("retrieval", "evaluator", "checkpoint_forward", "save_for_backward")),
    ],
)
def test_names_of_functions_and_phases(name: str, part: str | None) -> None:
    assert part_of_name(name) == part


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["step", "restart", "phase", "end", "outside", "gap"]),
            st.integers(0, 200 * MS),
        ),
        max_size=60,
    )
)
def test_the_parts_add_up_to_all_of_the_time(events: list[tuple[str, int]]) -> None:
    scene = Scene()
    since = scene.now
    for kind, length in events:
        scene.now += length
        if kind == "gap":
            scene.marks.append(scene.now)
            scene.gap((SAVE, length), (EVALUATE, length))
        marks: dict[str, list[Mark]] = {
            "step": [[scene.now - since]],
            "restart": [scene.now],
            "phase": [("validation", scene.now)],
            "end": [(None, scene.now), scene.now],
            "outside": [(OUTSIDE, scene.now)],
            "gap": [],
        }
        scene.marks += marks[kind]
        if kind not in ("phase", "outside"):
            since = scene.now
    ledger = scene.ledger()
    ledger.end(scene.now + MS)
    spent = Counter({one.part: one.ns for one in ledger.parts})
    assert sum(spent.values()) == scene.now + MS
    assert min(spent.values()) >= 0


FORKING = """
import threading, time
from pathlib import Path
from tbprof.hook import pause_watcher
from tbprof.hook.step_clock import StepClock

pause_watcher._FORKS_WARN_SINCE = 0
threads = lambda: len(list(Path("/proc/self/task").iterdir()))
watcher = pause_watcher.PauseWatcher(StepClock())
watcher.start()
alone = threads()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
watcher.start()
print(alone, threads())
watcher.stop()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody knows the threads")
def test_no_thread_is_started_where_a_fork_would_warn_of_it() -> None:
    """From Python 3.12 on it warns of a second thread, and a training may end on a warning."""
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", FORKING]
    said = subprocess.run(command, env=alone, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert said.stdout.split() == ["1", "3"]
