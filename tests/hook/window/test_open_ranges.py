"""Ranges that are open when their recording ends, and what torch does where they end in another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from torch.autograd.profiler import record_function
from torch.profiler import profile

from tbprof.hook.window import open_ranges
from tbprof.hook.window.open_ranges import begin_open_ranges_again

if TYPE_CHECKING:
    from conftest import RunScript

CHUNKS = """
import sys
from contextlib import ExitStack
import torch
import tbprof

schedule = tbprof.Schedule(skip_first=2, warmup=1, active=2, wait=1, repeat=12)
hook = tbprof.TrainerHook(sys.argv[1], schedule=schedule, trackers=False, {options})
model = torch.nn.Linear(4, 4)
chunk = ExitStack()
for step in range(52):
    if step % 4 == 0:
        for number in range(300):
            chunk.enter_context({range})
    model(torch.ones(2, 4)).sum().backward()
    hook.step()
    if step % 4 == 3:
        chunk.close()
hook.close()
print("ended")
"""


@pytest.mark.parametrize("options", ["", "with_stack=True"])
def test_ranges_of_a_program_may_go_on_from_window_to_window(
    run_script: RunScript, options: str, tmp_path: Path
) -> None:
    script = CHUNKS.format(options=options, range='torch.profiler.record_function("chunk")')
    ended = run_script(script, tmp_path / "logs")
    assert (ended.returncode, ended.stdout) == (0, "ended\n")


def test_a_range_that_is_open_begins_again_outside_of_its_recording() -> None:
    begin_open_ranges_again()
    with profile():
        label = record_function("chunk").__enter__()
        begun = label.record
    begin_open_ranges_again()
    assert label.record is not begun
    assert any(one is begun for one in open_ranges._never_ended)
    with profile() as later:
        label.__exit__(None, None, None)
    assert "chunk" not in {event.name for event in later.events()}


SEARCHES = """
import gc
from torch.autograd.profiler import record_function
from tbprof.hook.window.open_ranges import begin_open_ranges_again

searches, search = [], gc.get_referrers
gc.get_referrers = lambda *kinds: searches.append(kinds) or search(*kinds)

def searched():
    before = len(searches)
    begin_open_ranges_again()
    return len(searches) - before

print(searched(), searched(), searched())
label = record_function("chunk")
print(searched(), searched())
other = record_function("other")
del label
print(searched(), searched())
"""


def test_they_are_searched_for_only_where_one_came_or_went(run_script: RunScript) -> None:
    ended = run_script(SEARCHES)
    # Before the first window nothing has been recorded.
    assert ended.stdout.split() == ["0", "1", "0", "1", "0", "1", "0"]


def test_one_that_began_again_does_not_do_so_for_each_window() -> None:
    begin_open_ranges_again()
    with profile():
        label = record_function("chunk").__enter__()
    begin_open_ranges_again()
    again, kept = label.record, len(open_ranges._never_ended)
    begin_open_ranges_again()
    assert label.record is again
    assert len(open_ranges._never_ended) == kept
