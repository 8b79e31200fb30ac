"""What trackers hear of a window, and that none of them can harm the training."""

from __future__ import annotations

import dataclasses
import logging
import os
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tbprof.hook.tracker_thread import MOST_WAITING, VARIABLE, TrackerThread
from tbprof.hook.trackers.tracker import ShownWindow, window_of_json
from tbprof.hook.trackers.wandb import LoggedRows

WINDOW = ShownWindow(
    13, {"step_time_ms": 4.5}, "window 0: The GPU is idle 40 % of a step.", "none.trace.json.gz"
)
NO_PAGE = Path("none.html")
LONG_S = 60.0


class Artifact:
    def __init__(self, *_: str, **__: str) -> None:
        self.contents: list[str] = []

    def add_file(self, path: str, **_: str) -> None:
        self.contents.append(Path(path).read_text())


class Run:
    """A run as W&B's package keeps it, whose `define_metric` does what a test wants."""

    def __init__(self, fault: Exception | None = None, until: threading.Event | None = None) -> None:
        self.id = f"run{id(self)}"
        self.rows: dict[int, dict[str, Any]] = {}
        self.summary: dict[str, Any] = {}
        self.artifacts: list[str] = []
        self.step = 0
        self._fault, self._until = fault, until

    def define_metric(self, *_: str, **__: Any) -> None:
        if self._until is not None:
            self._until.wait(LONG_S)
        if self._fault is not None:
            raise self._fault

    def log_artifact(self, artifact: Artifact) -> None:
        self.artifacts += artifact.contents

    def log(self, data: dict[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        """Count rows as W&B does."""
        if step is not None and step < self.step:
            return
        self.step = self.step if step is None else step
        self.rows.setdefault(self.step, {}).update(data)
        self.step += bool(commit or (commit is None and step is None))


@pytest.fixture
def telling() -> Iterator[TrackerThread]:
    found = TrackerThread(is_wanted=True)
    yield found
    found.wait(LONG_S)


def start(monkeypatch: pytest.MonkeyPatch, run: Run) -> Run:
    package = types.ModuleType("wandb")
    package.run, package.log, package.Artifact = run, run.log, Artifact  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", package)
    return run


def waiting(run: Run) -> int:
    """Windows whose figures are in no row."""
    rows = LoggedRows.watched(run)
    return 0 if rows is None else rows.waiting


def threads() -> int:
    """That tell of windows; a test waits for its own."""
    return sum(thread.name == "tbprof-trackers" for thread in threading.enumerate())


def test_a_window_crosses_the_pipe_as_it_was() -> None:
    assert window_of_json(WINDOW.to_json()) == WINDOW


def test_without_a_run_nobody_is_told(telling: TrackerThread) -> None:
    telling.tell(WINDOW, NO_PAGE, telling.listeners())
    assert telling.listeners() == ()
    assert threads() == 0


def tell(telling: TrackerThread, *steps: int) -> None:
    """Windows that began at these steps."""
    for step in steps:
        telling.tell(dataclasses.replace(WINDOW, step=step), NO_PAGE, telling.listeners())
    telling.wait(LONG_S)


def steps_in(run: Run) -> dict[int, int]:
    """Those of windows, by the row that has their figures."""
    return {number: row["tbprof/step"] for number, row in run.rows.items() if "tbprof/step" in row}


def test_the_row_that_the_training_logs_next_has_the_figures(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(monkeypatch, Run())
    tell(telling, 13)
    assert (run.rows, run.summary["tbprof/verdict"]) == ({}, WINDOW.verdict)
    sys.modules["wandb"].log({"loss": 1.0})
    run.log({"loss": 2.0})
    assert run.rows == {0: {"loss": 1.0, "tbprof/step_time_ms": 4.5, "tbprof/step": 13}, 1: {"loss": 2.0}}


@pytest.mark.parametrize(
    ("calls", "figures"),
    [
        ([{}, {}, {}], {0: 13, 1: 31}),
        ([{"step": 0}, {"step": 0}, {"step": 1}, {"step": 1}], {0: 13, 1: 31}),
        ([{"commit": False}, {"commit": False}, {}, {}], {0: 13, 1: 31}),
        ([{"step": 4}, {}, {"step": 7, "commit": True}, {"step": 8}], {4: 13, 7: 31}),
        # What W&B ignores takes none along.
        ([{"step": 4}, {"step": 2}, {"step": 9}], {4: 13, 9: 31}),
    ],
)
def test_each_window_has_a_row_of_the_training_s(
    telling: TrackerThread,
    monkeypatch: pytest.MonkeyPatch,
    calls: list[dict[str, Any]],
    figures: dict[int, int],
) -> None:
    alone, run = Run(), start(monkeypatch, Run())
    tell(telling, 13, 31)
    for number, call in enumerate(calls):
        alone.log({"loss": number}, **call)
        run.log({"loss": number}, **call)
    assert steps_in(run) == figures
    own = {number: {"loss": row["loss"]} for number, row in run.rows.items()}
    assert (own, run.step) == (alone.rows, alone.step)
    assert telling.leave() == ()


def test_what_no_row_has_is_said_and_waits_for_one(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(monkeypatch, Run())
    tell(telling, 13, 31)
    run.log({})
    run.log(data={"loss": 1.0}, step=3)
    (said,) = telling.leave()
    assert said.startswith("W&B: the training has logged no row for the figures of 1 of its windows;")
    assert run.summary["tbprof/latest"] == {"step_time_ms": 4.5, "step": 31}
    run.log({"accuracy": 0.5}, step=4)
    assert steps_in(run) == {3: 13, 4: 31}
    assert telling.leave() == ()


def test_the_run_has_its_own_log_again_after_the_training(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(monkeypatch, Run())
    tell(telling, 13)
    assert sys.modules["wandb"].log is run.log
    run.log({"loss": 1.0})
    assert telling.leave() == ()
    assert vars(run).get("log") is None
    assert sys.modules["wandb"].log == run.log


def test_another_s_log_stays_in_its_place(telling: TrackerThread, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, Run())
    tell(telling, 13)
    ours, calls = run.log, []
    run.log = lambda data: calls.append(ours(data))  # type: ignore[method-assign,assignment]
    run.log({"loss": 1.0})
    assert (len(calls), steps_in(run)) == (1, {0: 13})
    telling.leave()
    run.log({"loss": 2.0})
    assert (len(calls), run.rows[1]) == (2, {"loss": 2.0})


def test_a_call_that_fails_keeps_the_figures(telling: TrackerThread, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, Run())
    tell(telling, 13)
    with pytest.raises(TypeError, match="unexpected keyword"):
        run.log({"loss": 1.0}, epoch=1)  # type: ignore[call-arg]
    run.log({"loss": 1.0})
    assert steps_in(run) == {0: 13}


def test_a_forked_child_has_none(telling: TrackerThread, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, Run())
    tell(telling, 13)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    run.log({"loss": 1.0})
    assert run.rows == {0: {"loss": 1.0}}


def test_who_turned_it_off_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, Run())
    monkeypatch.setenv(VARIABLE, "0")
    for telling in (TrackerThread(is_wanted=True), TrackerThread(is_wanted=False)):
        assert telling.listeners() == ()
        telling.tell(WINDOW, NO_PAGE, telling.listeners())
    assert run.summary == {}


def test_a_tracker_that_raises_is_named_once(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start(monkeypatch, Run(fault=ConnectionError("no network")))
    for _ in range(3):
        telling.tell(WINDOW, NO_PAGE, telling.listeners())
        telling.wait(LONG_S)
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert said == ["W&B could not be given a window: ConnectionError: no network"]


def test_a_tracker_that_hangs_holds_nobody_up(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = threading.Event()
    run = start(monkeypatch, Run(until=network))
    telling.tell(WINDOW, NO_PAGE, telling.listeners())
    # Neither call waits for the network, and there is one thread, however many windows come meanwhile.
    telling.tell(WINDOW, NO_PAGE, telling.listeners())
    assert threads() == 1
    assert run.summary == {}
    network.set()
    telling.wait(LONG_S)
    assert waiting(run) == 2


def test_where_no_thread_can_begin_the_training_goes_on(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As at the end of Python, where the hook closes last."""
    start(monkeypatch, Run())

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    telling.tell(WINDOW, NO_PAGE, telling.listeners())
    assert caplog.messages[0].startswith("the trackers could not be given a window: RuntimeError")


def test_a_package_that_is_broken_is_no_tracker(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    package = types.ModuleType("mlflow")
    package.active_run = lambda: 1 / 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlflow", package)
    telling.tell(WINDOW, NO_PAGE, telling.listeners())
    assert telling.listeners() == ()
    assert caplog.messages[0].startswith("the trackers could not be given a window: ZeroDivisionError")


@pytest.mark.parametrize("has_listeners", [True, False])
def test_a_page_is_added_and_removed(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_listeners: bool
) -> None:
    run = start(monkeypatch, Run())
    page = tmp_path / "window.html"
    page.write_text("a page")
    telling.tell(WINDOW, page, telling.listeners() if has_listeners else ())
    telling.wait(LONG_S)
    assert run.artifacts == ["a page"] * has_listeners
    assert list(tmp_path.iterdir()) == []


def test_a_tracker_that_never_answers_piles_up_little(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = threading.Event()
    run = start(monkeypatch, Run(until=network))
    for _ in range(MOST_WAITING + 5):
        telling.tell(WINDOW, NO_PAGE, telling.listeners())
    network.set()
    telling.wait(LONG_S)
    # One may have been with the tracker already.
    assert waiting(run) in (MOST_WAITING, MOST_WAITING + 1)


def test_a_window_is_told_to_the_run_of_its_own_time(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = start(monkeypatch, Run())
    listeners = telling.listeners()
    after = start(monkeypatch, Run())
    telling.tell(WINDOW, NO_PAGE, listeners)
    telling.wait(LONG_S)
    assert (waiting(before), waiting(after)) == (1, 0)
