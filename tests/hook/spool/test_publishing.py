"""The publishing child: found, kept apart from the training, waited for only so long."""

from __future__ import annotations

import dataclasses
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tbprof.folders import PACKAGE
from tbprof.hook.options import RecordOptions
from tbprof.hook.publishing import MOST_CHILDREN, MOST_WAITING, Publisher
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.schedule import Schedule
from tbprof.hook.spool import broken_path, facts_path, log_path, open_spool
from tbprof.hook.tracker_thread import TrackerThread
from tbprof.hook.trackers.tracker import ShownWindow
from tbprof.hook.window.facts import WindowFacts, collect_facts, write_facts
from tbprof.hook.window.window import ProfiledWindow


@pytest.fixture
def trace(tmp_path: Path, training_step: Callable[[], float]) -> Path:
    """A window of one recorded step in the spool, with its facts."""
    folder = open_spool(tmp_path / "logs", tmp_path / "spool")
    window = ProfiledWindow(Schedule(warmup=0, active=1), RecordOptions(), folder, "worker", lambda: None)
    window.start()
    training_step()
    window.advance()
    assert window.trace is not None
    counted = WindowFacts(0, 0, 1, None, None, {})
    facts = collect_facts("worker", RecordOptions(), counted, MissingFacts())
    write_facts(facts, facts_path(window.trace))
    return window.trace


def test_a_window_is_published_and_leaves_the_spool(trace: Path, tmp_path: Path) -> None:
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    assert publisher.running == (trace,)
    publisher.wait(60)
    assert (publisher.published, publisher.unpublished, publisher.running) == (1, 0, ())
    stem = trace.name.removesuffix(".pt.trace.json")
    published = sorted(path.name for path in (tmp_path / "logs").iterdir() if path.is_file())
    assert published == [f"{stem}.tbprof.pb", f"{stem}.trace.json.gz"]
    assert not trace.parent.exists() or list(trace.parent.iterdir()) == []


class Tracker:
    """A run that takes pages."""

    name, run_id = "T", "1"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def log(self, window: ShownWindow) -> None:
        self.heard.append(window.trace)

    def add_page(self, page: Path) -> None:
        self.heard += [page.name, page.read_text(encoding="ascii")]

    def leave(self) -> None:
        self.heard.append("left")


@pytest.mark.skipif(not (PACKAGE / "static" / "page.js").exists(), reason="the web page is not built")
def test_trackers_get_the_page_from_the_process_that_publishes(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker, telling = Tracker(), TrackerThread(is_wanted=True)
    monkeypatch.setattr(telling, "listeners", lambda: (tracker,))
    publisher = Publisher(str(tmp_path / "logs"), telling=telling)
    publisher.publish_own(trace)
    assert publisher.is_at_work
    publisher.wait(60)
    assert not publisher.is_at_work
    stem = trace.name.removesuffix(".pt.trace.json")
    window, name, page, end = tracker.heard
    assert (window, name, end) == (str(tmp_path / "logs" / f"{stem}.trace.json.gz"), f"{stem}.html", "left")
    assert f"{stem}.trace.json.gz" in page
    assert not trace.parent.exists() or list(trace.parent.iterdir()) == []


def test_a_window_without_the_gpu_that_is_there_is_a_fault(
    trace: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    window = WindowFacts(0, 0, 1, None, None, {})
    facts = collect_facts("worker", RecordOptions(), window, MissingFacts())
    facts = dataclasses.replace(facts, device_names=("A GPU",))
    write_facts(facts, facts_path(trace))
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    publisher.wait(60)
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert said.startswith("empty window 0: no GPU work was recorded, though torch sees the GPU")
    assert (publisher.published, publisher.empty) == (1, 1)


def test_the_training_s_own_files_do_not_break_it(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = tmp_path / "training"
    training.mkdir()
    (training / "numpy.py").write_text("raise SystemExit('this is the training, not numpy')")
    monkeypatch.chdir(training)
    monkeypatch.setenv("PYTHONPATH", str(training))
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    publisher.wait(60)
    assert publisher.published == 1


def test_a_broken_trace_is_lost_and_the_child_s_sentence_is_logged(
    trace: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trace.write_bytes(trace.read_bytes()[:200])
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    publisher.wait(60)
    assert (publisher.published, publisher.unpublished, publisher.lost) == (0, 0, 1)
    assert not trace.exists()
    assert broken_path(trace).exists()
    warning = caplog.records[0].getMessage()
    assert warning.startswith(f"{trace} could not be published: ")
    assert "Traceback" not in log_path(trace).read_text()


def test_a_child_that_ends_badly_when_the_window_is_there_is_no_failure(
    trace: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    child = publisher._running[trace].process
    assert child.wait(60)
    # As if it had been killed while it made the copy for the standard tab.
    child.exit_code = None
    publisher.collect()
    assert (publisher.published, publisher.unpublished, publisher.lost) == (1, 0, 0)
    assert caplog.records == []


def test_a_log_that_takes_no_line_does_not_stop_the_publishing(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tbprof.hook.publishing.process_name", full)
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    publisher.wait(60)
    assert (publisher.published, publisher.unpublished) == (1, 0)


def test_a_logdir_that_can_t_be_made_is_said(
    trace: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "logs").write_text("a file, not a folder")
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    publisher.wait(60)
    assert publisher.unpublished == 1
    assert trace.exists()
    assert str(tmp_path / "logs") in caplog.records[0].getMessage()


def test_a_child_that_can_t_be_started_costs_no_more_than_a_sentence(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    assert (publisher.unpublished, publisher.running) == (1, ())
    assert trace.exists()
    assert caplog.records[0].levelno == logging.WARNING
    assert "waits for the next run" in caplog.records[0].getMessage()


def test_waiting_ends_at_its_limit_and_the_child_is_left_alone(trace: Path, tmp_path: Path) -> None:
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    publisher.wait(0)
    assert publisher.running == (trace,)
    publisher.leave()
    assert publisher.running == ()
    published = tmp_path / "logs" / trace.name.replace(".pt.trace.json", ".trace.json.gz")
    deadline = time.monotonic() + 60
    while not published.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert published.exists()


def test_of_many_windows_a_few_are_published_at_a_time(trace: Path, tmp_path: Path) -> None:
    copies = [trace.with_name(f"worker.{number}.pt.trace.json") for number in range(1, 5)]
    for copy in copies:
        shutil.copy(trace, copy)
        shutil.copy(facts_path(trace), facts_path(copy))
    publisher = Publisher(str(tmp_path / "logs"))
    for copy in copies:
        publisher.publish(copy)
    assert len(publisher.running) == MOST_CHILDREN
    publisher.wait(100)
    assert (publisher.published, publisher.unpublished) == (4, 0)
    assert len(list((tmp_path / "logs").glob("*.tbprof.pb"))) == 4


def test_while_too_many_wait_none_is_to_begin(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tbprof.hook.publishing.MOST_CHILDREN", 0)
    publisher = Publisher(str(tmp_path / "logs"))
    for _ in range(MOST_WAITING):
        assert publisher.keeps_up()
        publisher.publish(trace)
    assert [publisher.keeps_up(), publisher.keeps_up()] == [False, False]
    assert caplog.messages == [
        "Windows come faster than they are published: 20 wait, and the next ones begin later."
    ]


def test_a_process_that_does_not_end_is_let_go_with_one_sentence(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tbprof.hook.publishing.DEADLINE_S", 0.0)
    publisher = Publisher(str(tmp_path / "logs"))
    publisher.publish(trace)
    process = publisher._running[trace].process
    publisher.wait(60)
    assert (publisher.running, publisher.unpublished) == ((), 1)
    (said,) = caplog.messages
    assert f"or for: tbprof publish {tmp_path / 'logs'}" in said
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)


def test_what_a_log_says_of_the_store_is_known_while_it_is_tried_again(trace: Path, tmp_path: Path) -> None:
    publisher = Publisher(str(tmp_path / "logs"))
    assert publisher.why_not_sent() is None
    publisher.publish(trace)
    log_path(trace).write_text("not sent yet: no route\nnot sent yet: no credentials\npublisher x\n")
    assert publisher.why_not_sent() == "no credentials"
    publisher.wait(60)
