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
from tbprof.plugin.worker.kept import Answer, Failed, Kept, Key
from tbprof.plugin.worker.pool import MAX_WAITING, SMALL_BYTES, Pool, Reading, State
from tbprof.plugin.worker.traces import Traces
from tbprof.process.answering import Question
from tbprof.process.worker import Worker
from tbprof.store.codec import decode_report

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows can't stop a process")


@pytest.fixture
def trace(tmp_path: Path, sample: Path) -> Path:
    return Path(shutil.copy(sample, tmp_path / "a.json.gz"))


def asked(pool: Pool, path: Path) -> tuple[State, int]:
    """The state of a trace, and how many are before it."""
    state = Traces(pool).report(str(path))
    return state, state.ahead if isinstance(state, Reading) else 0


def finished(pool: Pool, path: Path) -> State:
    """The state of a trace once it is no longer being read."""
    deadline = time.monotonic() + PATIENCE_S
    while isinstance(state := Traces(pool).report(str(path)), Reading):
        assert time.monotonic() < deadline, "the trace was not read in time"
        time.sleep(0.02)
    return state


def copies(trace: Path, count: int) -> list[Path]:
    return [Path(shutil.copy(trace, trace.with_name(f"{number}.json.gz"))) for number in range(count)]


def hold(pool: Pool, trace: Path, more_bytes: int = 0) -> Path:
    """A trace whose process stops itself before it reads it, so that all else waits behind that."""
    held = Path(shutil.copy(trace, trace.with_name("held.json.gz")))
    with held.open("ab") as file:
        # What stands behind the end of a gzip file is not read.
        file.write(bytes(more_bytes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([_stopping(trace.parent), os.environ.get("PYTHONPATH", "")])
        )
        state, ahead = asked(pool, held)
        assert isinstance(state, Reading)
        assert ahead == 0
    first, *others = pool.pids()
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


def kill(pool: Pool) -> int:
    """End the process as the system does where memory is short."""
    [pid] = pool.pids()
    os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while pid in pool.pids():
        assert time.monotonic() < deadline, "the process did not end"
        time.sleep(0.01)
    return pid


def test_a_trace_becomes_a_report(pool: Pool, trace: Path) -> None:
    state, ahead = asked(pool, trace)
    assert isinstance(state, Reading)
    assert (state.read_bytes, state.total_bytes, ahead) == (0, trace.stat().st_size, 0)
    report = finished(pool, trace)
    assert isinstance(report, Answer)
    assert decode_report(report.content, name="x").trace.path == str(trace)


def test_a_file_that_is_no_trace_fails_with_one_sentence(pool: Pool, tmp_path: Path) -> None:
    broken = tmp_path / "a.json"
    broken.write_text("no trace", encoding="utf-8")
    state = finished(pool, broken)
    assert isinstance(state, Failed)
    assert str(broken) in str(state.error)
    assert "\n" not in str(state.error)


def test_a_missing_file_is_said_at_once(pool: Pool, tmp_path: Path) -> None:
    with pytest.raises(Gone, match=r"missing is gone or can't be read"):
        asked(pool, tmp_path / "missing")


def test_twenty_who_ask_at_once_have_it_read_once(
    pool: Pool, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    ask = Worker.ask

    def note(self: Worker, question: Question, *, deadline_s: float) -> Future[bytes]:
        sent.append(question.path)
        return ask(self, question, deadline_s=deadline_s)

    monkeypatch.setattr(Worker, "ask", note)
    results: list[State] = []
    threads = [threading.Thread(target=lambda: results.append(finished(pool, trace))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sent == [str(trace)]
    assert len(results) == 20
    assert all(result == results[0] and isinstance(result, Answer) for result in results)


def test_traces_are_read_in_the_order_in_which_they_were_asked_for(pool: Pool, trace: Path) -> None:
    paths = copies(trace, 4)
    for ahead, path in enumerate(paths):
        state, before = asked(pool, path)
        assert isinstance(state, Reading)
        assert before <= ahead
    assert all(isinstance(finished(pool, path), Answer) for path in paths)


@needs_signals
def test_a_process_that_is_killed_costs_the_trace_it_was_reading(pool: Pool, trace: Path) -> None:
    held = hold(pool, trace)
    state, ahead = asked(pool, trace)
    assert isinstance(state, Reading)
    assert ahead == 1
    pid = kill(pool)
    # At once: after a while it is read again.
    blamed = finished(pool, held)
    assert isinstance(blamed, Failed)
    # It may have been stopped before it had read what it was asked.
    assert "ended with code -9" in str(blamed.error) or "can't be asked" in str(blamed.error)
    assert pid not in pool.pids()
    assert isinstance(finished(pool, trace), Answer)


def test_a_process_that_ends_while_idle_costs_nothing(pool: Pool, trace: Path) -> None:
    first, second = copies(trace, 2)
    assert isinstance(finished(pool, first), Answer)
    kill(pool)
    assert isinstance(finished(pool, second), Answer)


@needs_signals
def test_a_process_that_hangs_is_given_up(pool: Pool, trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbprof.plugin.worker.traces.DEADLINE_S", 1.0)
    held = hold(pool, trace)
    given_up = finished(pool, held)
    assert isinstance(given_up, Failed)
    assert "took longer than 1 s to read, and was given up" in str(given_up.error)
    assert finished(pool, held) is given_up
    monkeypatch.undo()
    assert isinstance(finished(pool, trace), Answer)


@needs_signals
def test_small_traces_are_read_before_large_ones(pool: Pool, trace: Path) -> None:
    hold(pool, trace)
    large = trace.with_name("large.json")
    large.write_bytes(gzip.decompress(trace.read_bytes()))
    assert [asked(pool, path)[1] for path in (large, trace, large)] == [1, 1, 2]


@needs_signals
def test_a_trace_that_nobody_asks_for_any_more_is_not_read(
    pool: Pool, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(pool, trace)
    left, still_wanted = copies(trace, 2)
    asked(pool, left)
    monkeypatch.setattr("tbprof.plugin.worker.pool._ABANDONED_AFTER_S", 0.0)
    _, ahead = asked(pool, still_wanted)
    assert ahead == 1


def test_broken_traces_are_each_read_once(pool: Pool, tmp_path: Path) -> None:
    broken = [tmp_path / f"{number}.json" for number in range(8)]
    for path in broken:
        path.write_text("no trace", encoding="utf-8")
    states = [finished(pool, path) for path in broken]
    assert [asked(pool, path)[0] for path in broken] == states


@needs_signals
def test_a_full_queue_says_to_come_back(pool: Pool, trace: Path) -> None:
    hold(pool, trace)
    for path in copies(trace, MAX_WAITING - 1):
        asked(pool, path)
    with pytest.raises(Busy, match=rf"{MAX_WAITING} traces are waiting .* try again in a minute"):
        asked(pool, trace)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no search path of this kind")
def test_a_numpy_of_the_users_own_breaks_nothing(
    pool: Pool, trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('not the one you want')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert isinstance(finished(pool, trace), Answer)


def test_a_process_that_can_not_be_started_is_said(
    pool: Pool, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(trace.with_name("no python")))
    state, _ = asked(pool, trace)
    assert isinstance(state, Failed)
    assert "can't be asked" in str(state.error)
    with pytest.raises(Busy, match="can't be asked"):
        Traces(pool).ask(str(trace), Key("timeline", (str(trace),)))


def test_what_is_closed_runs_nothing_and_starts_nothing(pool: Pool, trace: Path) -> None:
    first, second, third = copies(trace, 3)
    asked(pool, first)
    asked(pool, second)
    pool.close()
    assert pool.pids() == ()
    state, _ = asked(pool, third)
    assert isinstance(state, Failed)
    pool.close()


def test_the_rest_of_a_run_is_read_though_nobody_asks_again_and_waits_for_who_does(
    pool: Pool, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    keep, traces = Kept.keep, Traces(pool)

    def note(self: Kept, key: Key, value: object, *size_bytes: int) -> None:
        read.append(Path(str(key.of[0])).name)
        keep(self, key, value, *size_bytes)

    monkeypatch.setattr(Kept, "keep", note)
    rest = [trace.with_name(f"{number}.json") for number in range(MAX_WAITING + 2)]
    for path in rest:
        path.write_text("no trace", encoding="utf-8")
        assert traces.state_of(str(path)) is None
        traces.read_later(str(path))
        assert isinstance(traces.state_of(str(path)), Reading)
    assert isinstance(finished(pool, trace), Answer)
    assert read.index(trace.name) < 5
    deadline = time.monotonic() + PATIENCE_S
    while len(read) < len(rest) + 1:
        assert time.monotonic() < deadline, "the rest was not read in time"
        time.sleep(0.02)
    assert all(isinstance(traces.state_of(str(path)), Failed) for path in rest)


def test_a_small_trace_waits_for_no_large_one(trace: Path) -> None:
    beside = Pool(Kept(), large=1)
    try:
        held = hold(beside, trace, more_bytes=SMALL_BYTES)
        assert isinstance(finished(beside, trace), Answer)
        assert isinstance(Traces(beside).report(str(held)), Reading)
        assert len(beside.pids()) == 2
    finally:
        beside.close()


def test_two_processes_read_two_traces_at_once(trace: Path) -> None:
    both = Pool(Kept())
    try:
        for path in copies(trace, 2):
            Traces(both).report(str(path))
        assert len(both.pids()) == 2
    finally:
        both.close()
