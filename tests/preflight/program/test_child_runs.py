"""What several processes found at one line, put together."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from tbprof.model import Source
from tbprof.preflight.child_runs import ChildRun, add_child_runs
from tbprof.preflight.user_frame import Origin
from tbprof.preflight.watching.recording import Event, Recorder

LINE = Origin("train.py", Source("train.py", 3, "main", exact=True, candidates=()), None, (), None)
UPLOAD = Event("upload", "to", ("aten::copy_",), direction="HtoD", memory="pageable")


def recorded(*sizes: int) -> Recorder:
    recorder = Recorder()
    for nbytes in sizes:
        recorder.add(UPLOAD, LINE, nbytes, None, None)
    return recorder


def test_the_smallest_and_the_largest_copy_are_those_of_all_processes() -> None:
    tallies = tuple(recorded(128, 400).tallies.values())
    child = ChildRun(7, "child", tallies, (), 0, "finished", "")
    (whole,) = add_child_runs(recorded(300, 50_176), 0, [child]).tallies.values()
    assert (whole.bytes, whole.least_bytes, whole.most_bytes) == (51_004, 128, 50_176)
