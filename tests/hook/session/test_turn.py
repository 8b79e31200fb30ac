"""Calls of the hook that come where nothing can be begun or ended."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

import tbprof
from tbprof.hook.safety.guard import Guard
from tbprof.hook.safety.modes import function_modes
from tbprof.hook.turn import ThreadAffinity, Turn


@pytest.fixture
def turn() -> Turn:
    return Turn(Guard(lambda: None), ThreadAffinity())


def test_a_turn_that_could_not_be_given_back_is_taken_again(turn: Turn) -> None:
    """As where a handler of the program raises in the line that gives it back."""
    done: list[str] = []
    turn._holder["thread"] = (threading.get_ident(),)
    turn.run("close()", lambda: done.append("close"))
    assert done == ["close"]
    assert turn._holder == {}


def test_a_timer_that_is_quicker_than_a_call_ends_nothing(
    turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handler that steps is interrupted by the same handler, before it has come far."""
    done: list[str] = []

    def step() -> None:
        turn.run("step()", lambda: done.append("step"), is_step=True)

    def interrupted() -> bool:
        step()
        return False

    monkeypatch.setattr("tbprof.hook.turn.interrupts_torch", interrupted)
    step()
    assert done
    monkeypatch.undo()
    turn.run("close()", lambda: done.append("close"))
    assert done[-1] == "close"


def test_what_is_called_within_a_backward_pass_is_done_after_the_next_one(turn: Turn) -> None:
    done: list[str] = []
    weight = torch.ones(1, requires_grad=True)

    def in_hook(_: torch.Tensor) -> None:
        turn.run("step()", lambda: done.append("step"), is_step=True)
        turn.run("step()", lambda: done.append("step"), is_step=True)
        turn.run("close()", lambda: done.append("close"))
        assert done == []

    weight.register_hook(in_hook)
    turn.watch_backward(is_watching=True)
    try:
        weight.sum().backward()
        assert done == ["step", "close"]
    finally:
        turn.end()
    assert torch.autograd.graph._engine_run_backward.__module__ == "torch.autograd.graph"


def test_a_pass_that_nobody_watched_is_caught_up_with_at_the_next_call(turn: Turn) -> None:
    done: list[str] = []
    weight = torch.ones(1, requires_grad=True)
    weight.register_hook(lambda _: turn.run("pause()", lambda: done.append("pause")))
    weight.sum().backward()
    turn.run("step()", lambda: done.append("step"), is_step=True)
    turn.end()
    assert done == ["pause", "step"]


class Calling(TorchFunctionMode):  # type: ignore[misc]
    """Calls the hook out of what torch calls."""

    def __init__(self, call: Callable[[], None]) -> None:
        super().__init__()
        self._call = call

    def __torch_function__(self, func: Any, types: object, args: Any = (), kwargs: Any = None) -> Any:
        self._call()
        return func(*args, **(kwargs or {}))


def test_what_a_mode_of_the_program_calls_is_done_with_the_next_call_outside(turn: Turn) -> None:
    done: list[str] = []
    with Calling(lambda: turn.run("step()", lambda: done.append("step"), is_step=True)):
        torch.ones(1)
        torch.ones(1)
        assert done == []
        turn.run("close()", lambda: done.append("close"))
    assert done == ["step", "close"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGUSR1")
def test_what_a_signal_handler_calls_meanwhile_is_done_when_that_is_over(turn: Turn) -> None:
    done: list[str] = []

    def handle(*_: object) -> None:
        turn.run("step()", lambda: done.append("a second step"), is_step=True)
        turn.run("close()", lambda: done.append("close"))
        done.append("handled")

    def work() -> None:
        signal.raise_signal(signal.SIGUSR1)
        done.append("step")

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        turn.run("step()", work, is_step=True)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert done == ["handled", "step", "close"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGUSR1")
def test_what_a_signal_handler_calls_in_the_midst_of_torch_is_done_with_the_next_call(turn: Turn) -> None:
    done: list[str] = []
    before = signal.signal(
        signal.SIGUSR1, lambda *_: turn.run("step()", lambda: done.append("step"), is_step=True)
    )
    try:
        tree_map(signal.raise_signal, signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert done == []
    turn.run("pause()", lambda: done.append("pause"))
    assert done == ["step", "pause"]


def test_another_thread_waits_for_what_is_at_work(turn: Turn, caplog: pytest.LogCaptureFixture) -> None:
    begun, may_end = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        begun.set()
        assert may_end.wait(60)
        done.append("step")

    training = threading.Thread(target=turn.run, args=("step()", work))
    training.start()
    assert begun.wait(60)
    turn.run("step()", lambda: done.append("of another thread"), is_step=True)
    assert caplog.messages[0].startswith("step() was called from a thread other than the one being recorded")
    threading.Timer(0.05, may_end.set).start()
    turn.run("close()", lambda: done.append("close"), wait_s=60)
    training.join()
    assert done == ["step", "close"]


def test_steps_within_backward_passes_leave_no_mode(tmp_path: Path) -> None:
    model = torch.nn.Linear(8, 4)
    schedule = tbprof.Schedule(skip_first=2, warmup=1, active=2, wait=3, repeat=2)
    hook = tbprof.TrainerHook(tmp_path / "run", schedule=schedule, trackers=False)
    model.weight.register_hook(lambda _: hook.step())
    with hook:
        for _ in range(16):
            model(torch.ones(6, 8)).sum().backward()
    assert not function_modes()
    assert hook._run.guard.fault is None
