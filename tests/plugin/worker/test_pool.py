"""Who is next, whoever reads: a pool whose processes answer when a test says so."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from tbprof.errors import Busy, ReadingEnded, TbprofError
from tbprof.plugin.worker import pool as pool_module
from tbprof.plugin.worker.kept import Answer, Failed, Kept, Key
from tbprof.plugin.worker.pool import REPORT_READER, SMALL_BYTES, Job, Pool, Priority, Reading, Task
from tbprof.process.answering import Question


class Still:
    """A process that answers when it is told to."""

    def __init__(self, module: str, _: object) -> None:
        self.module = module
        self.pid: int | None = None
        self.asked: list[tuple[Question, Future[bytes]]] = []

    def start(self) -> None:
        self.pid = 1

    def ask(self, question: Question, *, deadline_s: float) -> Future[bytes]:
        assert deadline_s > 0
        self.start()
        self.asked.append((question, Future[bytes]()))
        return self.asked[-1][1]

    def close(self) -> None:
        self.pid = None


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Pool:
    monkeypatch.setattr(pool_module, "Worker", Still)
    return Pool(Kept(), large=1, small=1)


def workers(pool: Pool) -> list[Still]:
    return [process.worker for process in pool._processes]  # type: ignore[misc]


def has(pool: Pool) -> list[str]:
    """What each process has, in the order of the processes; "" of one that has nothing."""
    return ["" if process.job is None else process.job.task.question.path for process in pool._processes]


def answer(pool: Pool, path: str, error: TbprofError | None = None) -> None:
    [asked] = [
        future
        for one in workers(pool)
        for question, future in one.asked
        if question.path == path and not future.done()
    ]
    if error is None:
        asked.set_result(path.encode())
    else:
        asked.set_exception(error)


def task(path: str, priority: Priority, size_bytes: int = 0) -> Task:
    kept = None if priority in (Priority.STORED_REPORT, Priority.SUMMARY) else bytes
    retries = ((ReadingEnded, 60.0),)
    return Task(Key("ask", (path,)), Question(path, "ask", {}), priority, 1.0, size_bytes, retries, kept)


def test_summaries_leave_one_process_to_reports_and_wait_for_them(still: Pool) -> None:
    for name in ("s1", "s2"):
        still.begin(task(name, Priority.SUMMARY))
    assert has(still) == ["", "s1", "", "", ""]
    for name in ("r1", "r2"):
        still.begin(task(name, Priority.STORED_REPORT))
    assert has(still)[:2] == ["r1", "s1"]
    answer(still, "s1")
    assert has(still)[:2] == ["r1", "r2"]
    answer(still, "r2")
    assert has(still)[:2] == ["r1", "s2"]
    assert [one.module for one in workers(still)[:2]] == [REPORT_READER] * 2


def test_small_traces_come_before_large_ones_and_the_rest_of_runs_last(still: Pool) -> None:
    large = SMALL_BYTES + 1
    still.begin(task("first", Priority.LARGE_TRACE, large))
    still.begin(task("rest", Priority.REST_OF_RUN, 1))
    still.begin(task("larger", Priority.LARGE_TRACE, large + 2))
    still.begin(task("large", Priority.LARGE_TRACE, large + 1))
    # The process for small traces is there while the other one has a large trace.
    still.begin(task("small", Priority.SMALL_TRACE, 5))
    still.begin(task("smaller", Priority.SMALL_TRACE, 4))
    assert has(still)[2:] == ["first", "small", ""]
    state = still.ask(task("larger", Priority.LARGE_TRACE, large + 2))
    assert isinstance(state, Reading)
    assert state.ahead == 4
    for done, expected in (
        ("first", "smaller"),
        ("smaller", "large"),
        ("large", "larger"),
        ("larger", "rest"),
    ):
        answer(still, done)
        assert has(still)[2] == expected


def test_a_trace_of_the_rest_that_somebody_looks_at_is_no_longer_one(still: Pool) -> None:
    still.begin(task("first", Priority.LARGE_TRACE, SMALL_BYTES + 1))
    for name in ("a", "b"):
        still.begin(task(name, Priority.REST_OF_RUN, 1))
    still.begin(task("b", Priority.LARGE_TRACE, SMALL_BYTES + 2))
    answer(still, "first")
    assert has(still)[2] == "b"


def test_a_question_about_an_open_trace_waits_for_no_other_kind(still: Pool) -> None:
    still.begin(task("first", Priority.LARGE_TRACE, SMALL_BYTES + 1))
    still.begin(task("tile", Priority.OPEN_TRACE))
    assert has(still)[-1] == "tile"
    answer(still, "tile")
    found = still.ask(task("tile", Priority.OPEN_TRACE))
    assert isinstance(found, Answer)
    assert found.content == b"tile"
    assert has(still)[-1] == ""


def test_what_nobody_asks_for_any_more_is_not_read(still: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "left"):
        still.begin(task(name, Priority.LARGE_TRACE, SMALL_BYTES + 1))
    still.begin(task("rest", Priority.REST_OF_RUN, 1))
    monkeypatch.setattr(pool_module, "_ABANDONED_AFTER_S", 0.0)
    answer(still, "first")
    assert has(still)[2] == "rest"
    assert still.state_of(Key("ask", ("left",))) is None


def test_what_several_ask_is_asked_once_and_what_is_given_up_is_not(still: Pool) -> None:
    jobs = [still.begin(task("r1", Priority.STORED_REPORT)) for _ in range(2)]
    assert jobs[0] is jobs[1]
    still.begin(task("r2", Priority.STORED_REPORT))
    waiting = still.begin(task("r3", Priority.STORED_REPORT))
    still.give_up(Key("ask", ("r1",)))
    still.give_up(Key("ask", ("r3",)))
    assert has(still)[:2] == ["r1", "r2"]
    assert isinstance(waiting, Job)
    assert waiting.answer.cancelled()
    answer(still, "r1")
    assert has(still)[:2] == ["", "r2"]


def test_an_error_that_is_remembered_is_not_asked_for_again(still: Pool) -> None:
    for name, error in (("dies", ReadingEnded("it ended")), ("broken", TbprofError("it is broken"))):
        still.begin(task(name, Priority.OPEN_TRACE))
        answer(still, name, error)
    assert isinstance(still.ask(task("dies", Priority.OPEN_TRACE)), Failed)
    assert isinstance(still.ask(task("broken", Priority.OPEN_TRACE)), Reading)


def test_who_waits_when_all_ends_is_not_left_waiting(still: Pool) -> None:
    jobs = [still.begin(task(name, Priority.OPEN_TRACE)) for name in "ab"]
    still.close()
    assert [isinstance(job, Job) and job.answer.cancelled() for job in jobs] == [False, True]
    assert still.pids() == ()


def test_too_much_of_one_kind_is_refused_and_costs_no_other(
    still: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_MAX_ASKED", 1)
    for name in "ab":
        still.begin(task(name, Priority.OPEN_TRACE))
    with pytest.raises(Busy, match="try again"):
        still.begin(task("c", Priority.OPEN_TRACE))
    assert isinstance(still.ask(task("r", Priority.STORED_REPORT)), Reading)
