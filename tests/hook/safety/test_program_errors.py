"""What a signal handler or another thread of the program raises is the program's, wherever it arrives."""

from __future__ import annotations

import ctypes
import functools
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pytest

from tbprof.hook.safety.guard import Guard, MissingFacts, belongs_to_program, codes_of_handlers

if TYPE_CHECKING:
    from conftest import RunScript

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


@pytest.mark.parametrize("handler", HANDLERS)
def test_the_code_of_a_handler_of_any_kind_is_known(handler: Callable[..., None]) -> None:
    before = codes_of_handlers()
    signal.signal(signal.SIGUSR1, handler)
    (code,) = codes_of_handlers() - before
    assert code.co_filename == __file__


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
    assert said.startswith("Profiling ends here: the program raised ")


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
    assert not belongs_to_program(raised.value)


def limit_from_another_thread(kind: type[BaseException]) -> None:
    """Raise `kind` in the calling thread, as stopit, rq and func_timeout do."""
    thread = ctypes.c_ulong(threading.get_ident())
    other = threading.Thread(
        target=ctypes.pythonapi.PyThreadState_SetAsyncExc, args=(thread, ctypes.py_object(kind))
    )
    other.start()
    other.join()
    while True:
        len("the hook is at work")


class Limit(Exception):
    """What a library raises in a thread whose time is over."""


@pytest.mark.parametrize("kind", [Limit, TimeoutError])
def test_what_another_thread_raises_passes_the_guard(
    kind: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[str] = []
    with pytest.raises(kind):
        Guard(lambda: ended.append("profiling")).run(limit_from_another_thread, kind)
    assert ended == ["profiling"]
    assert caplog.messages == [f"Profiling ends here: the program raised {kind.__name__} meanwhile."]


def exhaust() -> None:
    next(iter(()))


def look_up() -> None:
    {}["key"]


def open_nothing() -> None:
    open("/nonexistent/file")  # noqa: PTH123, SIM115


@pytest.mark.parametrize("fault", [exhaust, look_up, open_nothing])
def test_what_the_hook_s_own_work_raises_stays(
    fault: Callable[[], None], expected_faults: list[Exception]
) -> None:
    Guard(lambda: None).run(fault)
    assert len(expected_faults) == 1


def test_a_fault_without_a_text_says_where_it_was_raised(
    caplog: pytest.LogCaptureFixture, expected_faults: list[Exception]
) -> None:
    Guard(lambda: None).run(exhaust)
    assert len(expected_faults) == 1
    assert f"StopIteration in {__file__}, line " in caplog.messages[0]


def test_what_a_function_took_of_its_variables_stays_its_own() -> None:
    def handle(number: int, frame: FrameType | None) -> None:
        variables = locals()
        taken.append(variables)
        later = number
        raise_for(Preempted if later else OSError)

    taken: list[dict[str, object]] = []
    signal.signal(signal.SIGUSR1, handle)
    with pytest.raises(Preempted):
        Guard(lambda: None).run(signaled)
    assert "later" not in taken[0]


REFUSING = """
import sys
import torch
import tbprof

def refuse(event, of):
    if is_refused and event.split(".")[0] in ("open", "os", "gc", "ctypes", "pathlib", "subprocess"):
        raise RuntimeError(event)

schedule = tbprof.Schedule(skip_first=2, warmup=1, active=1, wait=1, repeat=2)
model, is_refused, steps = torch.nn.Linear(2, 2), False, 0
sys.addaudithook(refuse)
with tbprof.TrainerHook(sys.argv[1], schedule=schedule, trackers=False, memory=True) as hook:
    for step in range(12):
        model(torch.ones(1, 2)).sum().backward()
        is_refused = step >= int(sys.argv[2])
        hook.step()
        steps, is_refused = steps + 1, False
    is_refused = True
is_refused = False
print(steps)
"""


@pytest.mark.parametrize("step", ["1", "3", "5"])
def test_an_audit_hook_that_refuses_ends_the_profiling_alone(
    run_script: RunScript, tmp_path: Path, step: str
) -> None:
    ended = run_script(REFUSING, tmp_path / "logs", step)
    assert (ended.returncode, ended.stdout) == (0, "12\n"), ended.stderr
