"""A process that is asked from here: what it answers, and what is said where it can't."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

from tbprof import errors
from tbprof.errors import Busy, ReadingEnded, ReadingTookTooLong, TraceError
from tbprof.process.answering import Question
from tbprof.process.worker import MOST_WAITING, Worker

SUPPORT = Path(__file__).parents[1] / "support"
FAMILY = [name for name in errors.__all__ if name != "TbprofError"]

Ask = Callable[..., bytes]


@pytest.fixture
def told() -> list[tuple[int, int]]:
    """The progress that was told."""
    return []


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, told: list[tuple[int, int]]) -> Iterator[Worker]:
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    found = Worker("fake_worker", lambda *progress: told.append(progress))
    yield found
    found.close()


@pytest.fixture
def ask(worker: Worker) -> Ask:
    def ask_one(what: str, path: str = "a", **parameters: str) -> bytes:
        return worker.ask(Question(path, what, parameters)).result(PATIENCE_S)

    return ask_one


def test_nothing_runs_until_something_is_asked(worker: Worker, ask: Ask) -> None:
    assert worker.pid is None
    assert ask("echo", "one\n") == b"one\n"
    pid = worker.pid
    assert pid is not None
    assert ask("echo", "two", times="1000000") == b"two" * 1_000_000
    assert worker.pid == pid


def test_a_process_started_ahead_is_the_one_that_answers(worker: Worker, ask: Ask) -> None:
    worker.start()
    pid = worker.pid
    assert pid is not None
    ask("echo", "1")
    assert worker.pid == pid


def test_questions_are_answered_each_by_its_own_answer(worker: Worker) -> None:
    names = [f"path {number}" for number in range(50)]
    answers = [worker.ask(Question(name, "echo", {})) for name in names]
    assert [answer.result(PATIENCE_S) for answer in answers] == [name.encode() for name in names]


@pytest.mark.parametrize("kind", FAMILY)
def test_an_error_comes_as_what_it_was(ask: Ask, kind: str) -> None:
    with pytest.raises(getattr(errors, kind), match="a is what was asked for") as raised:
        ask("fail", kind=kind)
    assert type(raised.value) is getattr(errors, kind)


def test_a_fault_costs_its_question_only(ask: Ask) -> None:
    with pytest.raises(TraceError, match=r"a can't be shown; .* fault of tbprof's \(ZeroDivisionError: x\)"):
        ask("divide")
    assert ask("echo") == b"a"


def test_what_is_printed_there_is_no_answer(ask: Ask, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask("print") == b"a"
    assert capfd.readouterr().err == "of a library\n"


def test_progress_comes_before_the_answer(ask: Ask, told: list[tuple[int, int]]) -> None:
    assert ask("progress") == b"a"
    assert told == [(1, 2)]


@pytest.mark.parametrize("how", ["end", "break off"])
def test_a_process_that_ends_is_blamed_and_replaced(ask: Ask, how: str) -> None:
    with pytest.raises(ReadingEnded, match="ended with code 3"):
        ask(how)
    assert ask("echo") == b"a"


def test_a_path_and_a_parameter_can_not_take_each_other_s_place(ask: Ask) -> None:
    assert ask("echo", "mine", id="9", size="9", times="2") == b"minemine"


def test_a_process_that_can_not_be_started_is_busy(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as nowhere:
        nowhere.setattr(sys, "executable", os.devnull)
        with pytest.raises(Busy, match="can't be asked"):
            worker.ask(Question("a", "echo", {}))
    assert worker.ask(Question("a", "echo", {})).result(PATIENCE_S) == b"a"


def test_a_question_that_nobody_waits_for_is_not_put(worker: Worker, ask: Ask) -> None:
    slow = worker.ask(Question("a", "sleep", {}), deadline_s=1.0)
    unwanted = worker.ask(Question("a", "end", {}))
    assert unwanted.cancel()
    with pytest.raises(ReadingTookTooLong, match="took longer than 1 s"):
        slow.result(PATIENCE_S)
    assert ask("echo") == b"a"


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C knows no groups of processes")
def test_ctrl_c_reaches_who_asks_alone(worker: Worker) -> None:
    worker.start()
    assert worker.pid is not None
    assert os.getpgid(worker.pid) != os.getpgrp()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no way to stop a process")
def test_a_process_that_takes_no_question_is_given_up(worker: Worker, ask: Ask) -> None:
    """A question larger than what a pipe holds, to a process that does not read."""
    ask("echo")
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    question = Question("a", "echo", {}, b"x" * 1_000_000)
    with pytest.raises(ReadingTookTooLong, match="took longer than 1 s"):
        worker.ask(question, deadline_s=1.0).result(PATIENCE_S)
    assert ask("echo") == b"a"


def test_what_is_no_message_costs_one_question(ask: Ask) -> None:
    with pytest.raises(ReadingEnded):
        ask("babble")
    assert ask("echo") == b"a"


def test_so_many_questions_wait_and_no_more(worker: Worker) -> None:
    worker.ask(Question("a", "sleep", {}))
    waiting = [worker.ask(Question("a", "echo", {})) for _ in range(MOST_WAITING - 1)]
    with pytest.raises(Busy, match="are waiting"):
        # One of them may be in the process by now.
        waiting += [worker.ask(Question("a", "echo", {})) for _ in range(2)]
    worker.close()
    assert {type(answer.exception(PATIENCE_S)) for answer in waiting} == {Busy}


def test_what_is_closed_runs_nothing_and_starts_nothing(worker: Worker, ask: Ask) -> None:
    ask("echo")
    pid = worker.pid
    worker.close()
    assert (pid, worker.pid) != (None, pid)
    with pytest.raises(Busy):
        ask("echo")
    worker.close()
