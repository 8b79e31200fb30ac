"""What the hook notes of Python's garbage collector, and that the program's own callbacks never notice."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch
from trainings import published_soon

import tbprof
from tbprof.hook.window.garbage import MOST_NOTED, CollectionWatch
from tbprof.model import GarbageCollections


class Incomparable:
    """A callback of the program's that raises where it is compared."""

    def __eq__(self, _: object) -> NoReturn:
        raise AssertionError("compared")

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        pass


@pytest.fixture
def objects() -> list[dict[int, list[int]]]:
    """So many that a full collection takes some ms."""
    return [{number: [number]} for number in range(60_000)]


@pytest.fixture
def watch() -> Iterator[CollectionWatch]:
    gc.callbacks.append(Incomparable())
    before = [id(one) for one in gc.callbacks]
    watch = CollectionWatch()
    watch.begin()
    yield watch
    watch.end()
    assert [id(one) for one in gc.callbacks] == before
    gc.callbacks.pop()


def found(watch: CollectionWatch) -> GarbageCollections:
    found = watch.found
    assert found is not None
    return found


@pytest.mark.usefixtures("objects")
def test_collections_of_all_threads_are_timed_until_the_end(watch: CollectionWatch) -> None:
    began_ns = time.time_ns()
    gc.collect()
    ended_ns = time.time_ns()
    other = threading.Thread(target=gc.collect)
    other.start()
    other.join()
    watch.end()
    watch.end()
    gc.collect()
    noted = found(watch)
    assert set(noted.thread) == {threading.get_native_id(), other.native_id}
    own = max(
        (ns, start) for start, ns in zip(noted.start_ns, noted.duration_ns, strict=True) if start < ended_ns
    )
    assert began_ns <= own[1] <= own[1] + own[0] <= ended_ns
    assert own[0] > 0.8 * (ended_ns - began_ns)
    assert noted.start_ns == tuple(sorted(noted.start_ns))


@pytest.mark.usefixtures("objects")
def test_one_that_is_under_way_at_the_begin_is_none_and_mixes_up_nothing() -> None:
    watch = CollectionWatch()

    class Late:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            watch.begin()

    Late()
    gc.collect()
    began_ns = time.time_ns()
    gc.collect()
    watch.end()
    noted = found(watch)
    assert all(start >= began_ns for start in noted.start_ns)
    assert len(noted.start_ns) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such timer")
@pytest.mark.usefixtures("objects")
def test_ctrl_c_during_a_collection_reaches_the_program() -> None:
    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    watch, before = CollectionWatch(), signal.signal(signal.SIGALRM, interrupt)
    # Those of others are Python, such as that of Hypothesis, and lose it.
    others = gc.callbacks[:]
    gc.callbacks.clear()
    watch.begin()
    try:
        for _ in range(5):
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                for _ in range(20):
                    gc.collect()
    finally:
        signal.signal(signal.SIGALRM, before)
        watch.end()
        gc.callbacks.extend(others)


def test_no_more_is_kept_than_there_is_room_for(watch: CollectionWatch) -> None:
    ours = gc.callbacks[-1]
    for _ in range(MOST_NOTED):
        ours("start", {})
        ours("stop", {})
    assert len(found(watch).start_ns) <= MOST_NOTED // 2


def test_a_callback_that_the_program_has_taken_out_is_none_to_take_out(watch: CollectionWatch) -> None:
    ours = gc.callbacks.pop()
    watch.end()
    # Where the program puts it back, it goes on without harm.
    assert callable(ours)
    ours("start", {})


def test_nobody_asked_and_nothing_is_said() -> None:
    assert CollectionWatch().found is None


@pytest.mark.slow
@pytest.mark.parametrize("end", ["whole", "closed early", "error", "forked"])
def test_a_window_times_what_its_trace_holds_and_leaves_no_callback(
    end: str, tmp_path: Path, training_step: Callable[[], float], objects: list[Any]
) -> None:
    """Each step collects within a range; the hook's times lie in it, by the clock of the trace."""
    before, logs = list(gc.callbacks), tmp_path / "logs"
    schedule = tbprof.Schedule(skip_first=0, warmup=0, active=4)
    raising = pytest.raises(ZeroDivisionError) if end == "error" else nullcontext()
    with raising, tbprof.TrainerHook(logs, schedule=schedule) as hook:
        for step in range(2 if end == "closed early" else 6):
            training_step()
            with torch.profiler.record_function("collecting"):
                gc.collect()
            if end == "forked" and step == 2 and os.fork() == 0:
                os._exit(len(gc.callbacks) - len(before))
            if end == "error" and step == 2:
                raise ZeroDivisionError
            hook.step()
        if end == "forked":
            assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
    assert gc.callbacks == before
    assert len(objects) == 60_000
    (trace,) = published_soon(logs)
    ranges = [
        row
        for row in trace["traceEvents"]
        if row.get("name") == "collecting" and row["cat"] == "user_annotation"
    ]
    noted = trace["tbprof"]["collections"]
    long = [at for at, ns in enumerate(noted["duration_ns"]) if ns > 1_000_000]
    assert len(long) >= len(ranges) >= 1
    for row in ranges:
        begin = trace["baseTimeNanoseconds"] + row["ts"] * 1000
        inside = [at for at in long if begin - 50_000 <= noted["start_ns"][at] <= begin + row["dur"] * 1000]
        assert len(inside) == 1
        assert noted["duration_ns"][inside[0]] <= row["dur"] * 1000
        assert noted["thread"][inside[0]] == row["tid"]
