"""Calls that may hang: their caller waits only so long, and for one of them."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tbprof.errors import Busy
from tbprof.process.beside import BoundedCalls, within


def failing(error: Exception) -> None:
    raise error


def test_what_returns_in_time_is_given_on() -> None:
    assert within(60, lambda: 5) == 5
    for error in (FileNotFoundError("gone"), Busy("later")):
        with pytest.raises(type(error), match=str(error)):
            within(60, lambda error=error: failing(error))  # type: ignore[misc]


def test_the_thread_is_none_that_the_program_knows() -> None:
    known = threading.active_count()
    assert within(60, threading.active_count) == known


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_of_calls_that_hang_one_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    calls = BoundedCalls()
    with pytest.raises(TimeoutError, match="there is no answer"):
        calls.call(0.05, pipe.read_bytes)
    began_s = time.monotonic()
    with pytest.raises(TimeoutError):
        calls.call(60, lambda: None)
    assert time.monotonic() - began_s < 30
    pipe.write_bytes(b"at last")
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        try:
            assert calls.call(60, lambda: 7) == 7
            return
        except TimeoutError:
            time.sleep(0.01)
    pytest.fail("it is still waited for")
