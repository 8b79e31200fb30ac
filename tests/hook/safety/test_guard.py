"""No fault of the hook gets into the training, and none is said twice."""

from __future__ import annotations

import logging

import pytest

from tbprof.hook.safety.guard import Guard


class Profiling:
    def __init__(self) -> None:
        self.ended = 0

    def end(self) -> None:
        self.ended += 1


def fail(message: str) -> None:
    raise OSError(message)


def test_the_first_fault_is_logged_and_ends_the_profiling(
    expected_faults: list[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    profiling = Profiling()
    Guard(profiling.end).run(fail, "no room")
    assert profiling.ended == 1
    warning = caplog.records[0]
    assert warning.levelno == logging.WARNING
    assert warning.getMessage() == "Profiling ends here and the training goes on: OSError: no room"
    assert [str(fault) for fault in expected_faults] == ["no room"]


def test_the_traceback_is_there_for_who_wants_it(
    expected_faults: list[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "tbprof")
    Guard(Profiling().end).run(fail, "no room")
    assert caplog.records[1].exc_info
    assert len(expected_faults) == 1


def test_later_faults_are_quiet(expected_faults: list[Exception], caplog: pytest.LogCaptureFixture) -> None:
    profiling = Profiling()
    guard = Guard(profiling.end)
    guard.run(fail, "first")
    guard.run(fail, "second")
    assert profiling.ended == 1
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert guard.fault == "OSError: first"
    assert len(expected_faults) == 2


def test_a_fault_on_the_way_out_stays_inside_too(expected_faults: list[Exception]) -> None:
    Guard(lambda: fail("can't even stop")).run(fail, "first")
    assert [str(fault) for fault in expected_faults] == ["first"]


def test_a_log_that_raises_does_not_carry_the_fault_out(expected_faults: list[Exception]) -> None:
    class Raises(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError(record.getMessage())

    handler, profiling = Raises(), Profiling()
    logging.getLogger("tbprof").addHandler(handler)
    try:
        Guard(profiling.end).run(fail, "no room")
    finally:
        logging.getLogger("tbprof").removeHandler(handler)
    assert profiling.ended == 1
    assert [str(fault) for fault in expected_faults] == ["no room"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_what_belongs_to_the_training_passes(interruption: type[BaseException]) -> None:
    def interrupt() -> None:
        raise interruption

    profiling = Profiling()
    with pytest.raises(interruption):
        Guard(profiling.end).run(interrupt)
    assert profiling.ended == 0
