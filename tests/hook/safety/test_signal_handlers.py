"""What a signal handler of the program raises is the program's, wherever it is raised."""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from tbprof.hook.safety.guard import Guard
from tbprof.hook.safety.missing_facts import MissingFacts
from tbprof.hook.safety.signal_handlers import is_from_signal_handler

Handler = Callable[[int, FrameType | None], object]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGUSR1")


class Preempted(Exception):
    """What a training may raise to have a checkpoint written."""


def preempt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Preempted


def preempt_once(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    assert frame is not None
    raise_for(Preempted)


def preempt_any(*_: object) -> None:
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    raise TimeoutError


def raise_for(kind: type[Exception]) -> None:
    raise kind


class Trainer:
    def preempt(self, number: int, frame: FrameType | None) -> None:
        raise_for(Preempted if number and frame else OSError)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.preempt(number, frame)


HANDLERS = [
    preempt,
    preempt_once,
    preempt_any,
    Trainer().preempt,
    Trainer(),
    functools.partial(preempt_any),
]


@pytest.fixture(autouse=True)
def handler_of_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR1)
    yield
    signal.signal(signal.SIGUSR1, before)


def signaled() -> None:
    signal.raise_signal(signal.SIGUSR1)


@pytest.mark.parametrize("handler", HANDLERS)
def test_it_passes_the_guard_and_ends_the_profiling(
    handler: Handler, caplog: pytest.LogCaptureFixture
) -> None:
    signal.signal(signal.SIGUSR1, handler)
    ended: list[str] = []
    guard = Guard(lambda: ended.append("profiling"))
    with pytest.raises((Preempted, TimeoutError)):
        guard.run(signaled)
    assert ended == ["profiling"]
    (said,) = caplog.messages
    assert said.startswith("Profiling ends here: a signal handler of the program raised ")


def test_it_passes_a_fact_that_may_be_missing() -> None:
    signal.signal(signal.SIGUSR1, preempt)
    missing = MissingFacts()
    with pytest.raises(Preempted):
        missing.ask("driver", signaled, None)
    assert missing.facts == ()


def test_it_passes_while_the_profiling_ends(expected_faults: list[Exception]) -> None:
    signal.signal(signal.SIGUSR1, preempt)
    with pytest.raises(Preempted):
        Guard(signaled).run(raise_for, OSError)
    assert len(expected_faults) == 1


def test_a_fault_of_a_function_that_is_given_a_frame_is_none_of_a_handler() -> None:
    def look(frame: FrameType) -> None:
        raise OSError(frame.f_lineno)

    with pytest.raises(OSError, match=r"\d+") as raised:
        look(sys._getframe())
    assert not is_from_signal_handler(raised.value)
