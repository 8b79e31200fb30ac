"""Ranges that are open when their recording ends, and what torch does where they end in another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from torch import fx
from torch.autograd.profiler import record_function
from torch.profiler import profile

from tbprof.hook.window import open_ranges
from tbprof.hook.window.open_ranges import end_open_ranges, note_ranges

if TYPE_CHECKING:
    from conftest import RunScript

CHUNKS = """
import sys
import torch
import tbprof
from torch.profiler import record_function

ops = torch.ops.profiler

class Range:
    enter = lambda self: setattr(self, "record", record_function("chunk").__enter__())
    leave = lambda self: self.record.__exit__(None, None, None)

class Handle:
    def enter(self): self.handle = ops._record_function_enter_new("chunk", None)
    def leave(self): ops._record_function_exit._RecordFunction(self.handle)

class Overload(Handle):
    def enter(self): self.handle = ops._record_function_enter_new.default("chunk", None)
    def leave(self): self.handle = None

class OldHandle(Handle):
    def enter(self): self.handle = ops._record_function_enter("chunk", None)
    def leave(self): ops._record_function_exit(self.handle)

class Future:
    def enter(self):
        self.future = torch.futures.Future()
        with record_function("chunk") as record:
            record._call_end_callbacks_on_future(self.future)
    def leave(self): self.future.set_result(torch.ones(1))

schedule = tbprof.Schedule(skip_first=2, warmup=1, active=2, wait=1, repeat=12)
hook = tbprof.TrainerHook(sys.argv[1], schedule=schedule, trackers=False, {options})
model = torch.nn.Linear(4, 4)
for step in range(52):
    if step % 4 == 0:
        chunk = [{kind}() for number in range(300)]
        for one in chunk:
            one.enter()
    model(torch.ones(2, 4)).sum().backward()
    hook.step()
    if step % 4 == 3:
        for one in reversed(chunk):
            one.leave()
hook.close()
print("ended")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Range", ""),
        ("Range", "with_stack=True"),
        ("Handle", ""),
        ("Overload", ""),
        ("OldHandle", ""),
        ("Future", ""),
    ],
)
def test_ranges_of_a_program_may_go_on_from_window_to_window(
    run_script: RunScript, kind: str, options: str, tmp_path: Path
) -> None:
    ended = run_script(CHUNKS.format(options=options, kind=kind), tmp_path / "logs")
    assert (ended.returncode, ended.stdout) == (0, "ended\n")


def test_a_range_that_is_open_ends_with_its_recording_and_not_before() -> None:
    note_ranges()
    with profile() as recorded:
        label = record_function("chunk").__enter__()
        end_open_ranges()
        torch.ones(2).sum()
    end_open_ranges()
    with profile() as later:
        label.__exit__(None, None, None)
    chunk, inner = (next(event for event in recorded.events() if event.name == name) for name in NAMES)
    assert chunk.time_range.start < inner.time_range.start
    assert inner.time_range.end < chunk.time_range.end
    assert "chunk" not in {event.name for event in later.events()}


NAMES = ("chunk", "aten::sum")


def test_only_ranges_that_are_recorded_are_kept_and_those_that_are_gone_are_dropped() -> None:
    end_open_ranges()
    note_ranges()
    with record_function("outside"):
        assert not open_ranges._begun
    with profile():
        for _ in range(5000):
            with record_function("inside"):
                pass
        assert len(open_ranges._begun) <= open_ranges._FEW
    end_open_ranges()
    assert not open_ranges._begun


def test_torch_s_tables_find_its_functions() -> None:
    note_ranges()
    note_ranges()
    enter = torch.ops.profiler._record_function_enter_new
    assert enter in fx.node._side_effectful_functions
