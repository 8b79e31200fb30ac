"""What trackers hear of a window, and that none of them can harm the training."""

from __future__ import annotations

import logging
import sys
import tempfile
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tbprof.hook.trackers.shown_window import ShownWindow, window_of_json
from tbprof.hook.trackers.tracker_thread import MOST_WAITING, VARIABLE, TrackerThread

WINDOW = ShownWindow(
    13, {"step_time_ms": 4.5}, "window 0: The GPU is idle 40 % of a step.", "none.trace.json.gz"
)
LONG_S = 60.0


class Run:
    """A run as W&B's package keeps it, of which `log` does what a test wants."""

    def __init__(self, fault: Exception | None = None, until: threading.Event | None = None) -> None:
        self.id = f"run{id(self)}"
        self.rows: list[dict[str, Any]] = []
        self.summary: dict[str, Any] = {}
        self.step = 0
        self._fault, self._until = fault, until

    def define_metric(self, name: str, **_: Any) -> None:
        pass

    def log(self, row: dict[str, Any], *, commit: bool) -> None:
        if commit:
            self.step += 1
            return
        if self._until is not None:
            self._until.wait(LONG_S)
        if self._fault is not None:
            raise self._fault
        self.rows.append(row)


@pytest.fixture
def telling() -> Iterator[TrackerThread]:
    found = TrackerThread(is_wanted=True)
    yield found
    found.wait(LONG_S)


def start(monkeypatch: pytest.MonkeyPatch, run: Run) -> Run:
    package = types.ModuleType("wandb")
    package.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", package)
    return run


def threads() -> int:
    """That tell of windows; a test waits for its own."""
    return sum(thread.name == "tbprof-trackers" for thread in threading.enumerate())


def test_a_window_crosses_the_pipe_as_it_was() -> None:
    assert window_of_json(WINDOW.to_json()) == WINDOW


def test_without_a_run_nobody_is_told(telling: TrackerThread) -> None:
    telling.tell(WINDOW, telling.listeners())
    assert telling.listeners() == ()
    assert threads() == 0


def test_a_run_gets_the_figures_at_the_step_of_the_window(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(monkeypatch, Run())
    assert telling.listeners()
    telling.tell(WINDOW, telling.listeners())
    telling.wait(LONG_S)
    assert run.rows == [{"tbprof/step_time_ms": 4.5, "tbprof/step": 13}]
    assert run.summary["tbprof/verdict"] == WINDOW.verdict


def test_who_turned_it_off_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(monkeypatch, Run())
    monkeypatch.setenv(VARIABLE, "0")
    for telling in (TrackerThread(is_wanted=True), TrackerThread(is_wanted=False)):
        assert telling.listeners() == ()
        telling.tell(WINDOW, telling.listeners())
    assert run.rows == []


def test_a_tracker_that_raises_is_named_once(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start(monkeypatch, Run(fault=ConnectionError("no network")))
    for _ in range(3):
        telling.tell(WINDOW, telling.listeners())
        telling.wait(LONG_S)
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert said == ["W&B could not be told of a window: ConnectionError: no network"]


def test_a_tracker_that_hangs_holds_nobody_up(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = threading.Event()
    run = start(monkeypatch, Run(until=network))
    telling.tell(WINDOW, telling.listeners())
    # Neither call waits for the network, and there is one thread, however many windows come meanwhile.
    telling.tell(WINDOW, telling.listeners())
    assert threads() == 1
    assert run.rows == []
    network.set()
    telling.wait(LONG_S)
    assert len(run.rows) == 2


def test_where_no_thread_can_begin_the_training_goes_on(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As at the end of Python, where the hook closes last."""
    start(monkeypatch, Run())

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    telling.tell(WINDOW, telling.listeners())
    assert caplog.messages[0].startswith("the trackers could not be told of a window: RuntimeError")


def test_a_package_that_is_broken_is_no_tracker(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    package = types.ModuleType("mlflow")
    package.active_run = lambda: 1 / 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlflow", package)
    telling.tell(WINDOW, telling.listeners())
    assert telling.listeners() == ()
    assert caplog.messages[0].startswith("the trackers could not be told of a window: ZeroDivisionError")


def test_it_is_not_kept_by_the_page_of_a_window_that_is_gone(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run = start(monkeypatch, Run())
    telling.tell(WINDOW, telling.listeners())
    telling.wait(LONG_S)
    assert len(run.rows) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_tracker_that_never_answers_piles_up_little(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = threading.Event()
    monkeypatch.setattr("tbprof.hook.trackers.tracker_thread._page", lambda *_: None)
    run = start(monkeypatch, Run(until=network))
    for _ in range(MOST_WAITING + 5):
        telling.tell(WINDOW, telling.listeners())
    network.set()
    telling.wait(LONG_S)
    # One may have been with the tracker already.
    assert len(run.rows) in (MOST_WAITING, MOST_WAITING + 1)


def test_a_window_is_told_to_the_run_of_its_own_time(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = start(monkeypatch, Run())
    listeners = telling.listeners()
    after = start(monkeypatch, Run())
    telling.tell(WINDOW, listeners)
    telling.wait(LONG_S)
    assert (len(before.rows), len(after.rows)) == (1, 0)


def test_a_second_window_does_not_overwrite_the_row_of_the_first(
    telling: TrackerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.hook.trackers.tracker_thread._page", lambda *_: None)
    run = start(monkeypatch, Run())
    steps = []
    for _ in range(2):
        telling.tell(WINDOW, telling.listeners())
        telling.wait(LONG_S)
        steps.append(run.step)
    # What the training logs commits the row.
    run.log({"loss": 1.0}, commit=True)
    telling.tell(WINDOW, telling.listeners())
    telling.wait(LONG_S)
    assert [*steps, run.step] == [0, 1, 2]
