"""Traces read in a process of their own: once each, one after the other, whatever happens to it."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

from tbprof.errors import Busy, Gone
from tbprof.plugin.worker.analyses import MAX_WAITING, SMALL_BYTES, Analyses, Failed, Reading, State
from tbprof.plugin.worker.open_traces import OpenTraces
from tbprof.process.answering import Question
from tbprof.process.worker import Worker
from tbprof.store.codec import decode_report

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows can't stop a process")


@pytest.fixture
def trace(tmp_path: Path, sample: Path) -> Path:
    return Path(shutil.copy(sample, tmp_path / "a.json.gz"))


def finished(analyses: Analyses, path: Path) -> State:
    """The state of a trace once it is no longer being read."""
    deadline = time.monotonic() + PATIENCE_S
    while isinstance(state := analyses.ask(str(path))[0], Reading):
        assert time.monotonic() < deadline, "the trace was not read in time"
        time.sleep(0.02)
    return state


def copies(trace: Path, count: int) -> list[Path]:
    return [Path(shutil.copy(trace, trace.with_name(f"{number}.json.gz"))) for number in range(count)]


def hold(analyses: Analyses, trace: Path, more_bytes: int = 0) -> Path:
    """A trace whose process stops itself before it reads it, so that all else waits behind that."""
    held = Path(shutil.copy(trace, trace.with_name("held.json.gz")))
    with held.open("ab") as file:
        # What stands behind the end of a gzip file is not read.
        file.write(bytes(more_bytes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([_stopping(trace.parent), os.environ.get("PYTHONPATH", "")])
        )
        state, ahead = analyses.ask(str(held))
        assert isinstance(state, Reading)
        assert ahead == 0
    first, *others = analyses.pids
    _wait_until_stopped(first)
    # One that is there for small traces.
    for pid in others:
        _wait_until_stopped(pid)
        os.kill(pid, signal.SIGCONT)
    return held


def _stopping(folder: Path) -> str:
    """A folder to find modules in, with which a process stops where it starts."""
    stops = folder / "stops"
    stops.mkdir()
    program = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    (stops / "sitecustomize.py").write_text(program, encoding="utf-8")
    return str(stops)


def _wait_until_stopped(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT | os.WNOHANG) is None:
        assert time.monotonic() < deadline, "the process did not start"
        time.sleep(0.01)


def kill(analyses: Analyses) -> int:
    """End the process as the system does where memory is short."""
    [pid] = analyses.pids
    os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while pid in analyses.pids:
        assert time.monotonic() < deadline, "the process did not end"
        time.sleep(0.01)
    return pid


def test_a_trace_becomes_a_report(analyses: Analyses, trace: Path) -> None:
    state, ahead = analyses.ask(str(trace))
    assert isinstance(state, Reading)
    assert (state.read_bytes, state.total_bytes, ahead) == (0, trace.stat().st_size, 0)
    report = finished(analyses, trace)
    assert isinstance(report, bytes)
    assert decode_report(report, name="x").trace.path == str(trace)


def test_a_file_that_is_no_trace_fails_with_one_sentence(analyses: Analyses, tmp_path: Path) -> None:
    broken = tmp_path / "a.json"
    broken.write_text("no trace", encoding="utf-8")
    state = finished(analyses, broken)
    assert isinstance(state, Failed)
    assert str(broken) in str(state.error)
    assert "\n" not in str(state.error)


def test_a_missing_file_is_said_at_once(analyses: Analyses, tmp_path: Path) -> None:
    with pytest.raises(Gone, match=r"missing is gone or can't be read"):
        analyses.ask(str(tmp_path / "missing"))


def test_twenty_who_ask_at_once_have_it_read_once(
    analyses: Analyses, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    ask = Worker.ask

    def note(self: Worker, question: Question, *, deadline_s: float) -> Future[bytes]:
        sent.append(question.path)
        return ask(self, question, deadline_s=deadline_s)

    monkeypatch.setattr(Worker, "ask", note)
    results: list[State] = []
    threads = [threading.Thread(target=lambda: results.append(finished(analyses, trace))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sent == [str(trace)]
    assert len(results) == 20
    assert all(result == results[0] and isinstance(result, bytes) for result in results)


def test_traces_are_read_in_the_order_in_which_they_were_asked_for(analyses: Analyses, trace: Path) -> None:
    paths = copies(trace, 4)
    for ahead, path in enumerate(paths):
        state, before = analyses.ask(str(path))
        assert isinstance(state, Reading)
        assert before <= ahead
    assert all(isinstance(finished(analyses, path), bytes) for path in paths)


@needs_signals
def test_a_process_that_is_killed_costs_the_trace_it_was_reading(analyses: Analyses, trace: Path) -> None:
    held = hold(analyses, trace)
    state, ahead = analyses.ask(str(trace))
    assert isinstance(state, Reading)
    assert ahead == 1
    pid = kill(analyses)
    # At once: after a while it is read again.
    blamed = finished(analyses, held)
    assert isinstance(blamed, Failed)
    # It may have been stopped before it had read what it was asked.
    assert "ended with code -9" in str(blamed.error) or "can't be asked" in str(blamed.error)
    assert pid not in analyses.pids
    assert isinstance(finished(analyses, trace), bytes)


def test_a_process_that_ends_while_idle_costs_nothing(analyses: Analyses, trace: Path) -> None:
    first, second = copies(trace, 2)
    assert isinstance(finished(analyses, first), bytes)
    kill(analyses)
    assert isinstance(finished(analyses, second), bytes)


@needs_signals
def test_a_process_that_hangs_is_given_up(
    analyses: Analyses, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.plugin.worker.analyses.DEADLINE_S", 1.0)
    held = hold(analyses, trace)
    given_up = finished(analyses, held)
    assert isinstance(given_up, Failed)
    assert "took longer than 1 s to read, and was given up" in str(given_up.error)
    assert finished(analyses, held) is given_up
    monkeypatch.undo()
    assert isinstance(finished(analyses, trace), bytes)


@needs_signals
def test_small_traces_are_read_before_large_ones(analyses: Analyses, trace: Path) -> None:
    hold(analyses, trace)
    large = trace.with_name("large.json")
    large.write_bytes(gzip.decompress(trace.read_bytes()))
    assert [analyses.ask(str(path))[1] for path in (large, trace, large)] == [1, 1, 2]


@needs_signals
def test_a_trace_that_nobody_asks_for_any_more_is_not_read(
    analyses: Analyses, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(analyses, trace)
    left, still_wanted = copies(trace, 2)
    analyses.ask(str(left))
    monkeypatch.setattr("tbprof.plugin.worker.analyses._ABANDONED_AFTER_S", 0.0)
    _, ahead = analyses.ask(str(still_wanted))
    assert ahead == 1


def test_more_broken_traces_than_reports_are_kept_are_each_read_once(
    analyses: Analyses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.plugin.worker.analyses._KEPT_BYTES", 2)
    broken = [tmp_path / f"{number}.json" for number in range(8)]
    for path in broken:
        path.write_text("no trace", encoding="utf-8")
    states = [finished(analyses, path) for path in broken]
    assert [analyses.ask(str(path))[0] for path in broken] == states


@needs_signals
def test_a_full_queue_says_to_come_back(analyses: Analyses, trace: Path) -> None:
    hold(analyses, trace)
    for path in copies(trace, MAX_WAITING - 1):
        analyses.ask(str(path))
    with pytest.raises(Busy, match=rf"{MAX_WAITING} traces are waiting .* try again in a minute"):
        analyses.ask(str(trace))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no search path of this kind")
def test_a_numpy_of_the_users_own_breaks_nothing(
    analyses: Analyses, trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('not the one you want')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert isinstance(finished(analyses, trace), bytes)


def test_a_process_that_can_not_be_started_is_said(
    analyses: Analyses, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(trace.with_name("no python")))
    state, _ = analyses.ask(str(trace))
    assert isinstance(state, Failed)
    assert "can't be asked" in str(state.error)
    with pytest.raises(Busy, match="can't be asked"):
        OpenTraces().ask(str(trace), "view", {})


def test_what_is_closed_runs_nothing_and_starts_nothing(analyses: Analyses, trace: Path) -> None:
    first, second, third = copies(trace, 3)
    analyses.ask(str(first))
    analyses.ask(str(second))
    analyses.close()
    assert analyses.pids == ()
    state, _ = analyses.ask(str(third))
    assert isinstance(state, Failed)
    analyses.close()


def test_the_rest_of_a_run_is_read_though_nobody_asks_again_and_waits_for_who_does(
    analyses: Analyses, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    finish = Analyses._finish

    def note(self: Analyses, at: int, result: bytes | Failed) -> None:
        read.append(Path(self._current[at][0]).name)
        finish(self, at, result)

    monkeypatch.setattr(Analyses, "_finish", note)
    rest = [trace.with_name(f"{number}.json") for number in range(MAX_WAITING + 2)]
    for path in rest:
        path.write_text("no trace", encoding="utf-8")
        assert analyses.state_of(str(path)) is None
        analyses.read_later(str(path))
        assert isinstance(analyses.state_of(str(path)), Reading)
    assert isinstance(finished(analyses, trace), bytes)
    assert read.index(trace.name) < 5
    deadline = time.monotonic() + PATIENCE_S
    while len(read) < len(rest) + 1:
        assert time.monotonic() < deadline, "the rest was not read in time"
        time.sleep(0.02)
    assert all(isinstance(analyses.state_of(str(path)), Failed) for path in rest)


def test_a_small_trace_waits_for_no_large_one(trace: Path) -> None:
    beside = Analyses(1)
    try:
        held = hold(beside, trace, more_bytes=SMALL_BYTES)
        assert isinstance(finished(beside, trace), bytes)
        assert isinstance(beside.ask(str(held))[0], Reading)
        assert len(beside.pids) == 2
    finally:
        beside.close()


def test_two_processes_read_two_traces_at_once(trace: Path) -> None:
    both = Analyses(2)
    try:
        for path in copies(trace, 2):
            both.ask(str(path))
        assert len(both.pids) == 2
    finally:
        both.close()
