"""The steps behind a window that are recorded with what operators are given."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

import tbprof
from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.operator_limits import find_costs
from tbprof.analysis.figures.operators import find_operators
from tbprof.hook.window import module_marks
from tbprof.hook.window.module_marks import MOST_WINDOWS
from tbprof.trace.importers.kineto.reader import read_trace

SCHEDULE = tbprof.Schedule(skip_first=1, warmup=1, active=2)
FIRST, SECOND = 4, 5
"""The steps behind the window, counted from 0."""


def train(logdir: Path, beside: Callable[[tbprof.TrainerHook, int], object] = lambda *_: None) -> Path:
    """Train with a window; its trace."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Linear(4, 2))
    with tbprof.TrainerHook(logdir, schedule=SCHEDULE, record_inputs=True, record_lines=False) as hook:
        for number in range(12):
            model(torch.ones(3, 8)).sum().backward()
            beside(hook, number)
            hook.step()
        hook.close(wait_s=60)
    (trace,) = logdir.glob("*.trace.json.gz")
    return trace


def has_inputs(trace: Path) -> bool:
    return "inputs" in json.loads(gzip.decompress(trace.read_bytes()))["tbprof"]


@pytest.mark.parametrize("windows", [0, MOST_WINDOWS - 1, MOST_WINDOWS])
def test_a_window_without_shapes_has_the_flops_of_its_operators(
    tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch, windows: int
) -> None:
    """Whether modules are marked, in both or in none."""
    monkeypatch.setattr(module_marks, "_windows", [windows])
    trace = read_trace(train(tmp_path / "logs"), tables=FACTS_TABLES)
    assert "inputs_joined" in {fact.code for fact in trace.health}
    costs = find_costs(trace, find_operators(Facts(trace)).rows)
    names = [trace.names[trace.slices.name[row]] for row in find_operators(Facts(trace)).rows.tolist()]
    flops = [
        costs.costs[kind].flops for kind, name in zip(costs.kind, names, strict=True) if name == "aten::addmm"
    ]
    assert flops == [2 * 3 * 8 * 4, 2 * 3 * 4 * 2] * SCHEDULE.active
    # Nothing of them is in the recording itself, and nothing stays in the spool.
    assert trace.facts is not None
    assert not trace.facts.options["record_shapes"]
    assert not list(spool.rglob("*.json"))


def another_profiler(_: tbprof.TrainerHook, number: int) -> None:
    if number == FIRST:
        with profile(activities=[ProfilerActivity.CPU]):
            torch.ones(1)


def no_more_steps(hook: tbprof.TrainerHook, number: int) -> None:
    if number == SECOND:
        hook.close(wait_s=60)


def an_evaluation(hook: tbprof.TrainerHook, number: int) -> None:
    if number == SECOND:
        with hook.phase("evaluation"):
            torch.ones(1)


@pytest.mark.parametrize("beside", [another_profiler, no_more_steps, an_evaluation])
def test_where_they_are_not_whole_the_window_goes_without_them(
    tmp_path: Path, beside: Callable[[tbprof.TrainerHook, int], None]
) -> None:
    assert not has_inputs(train(tmp_path / "logs", beside))


def test_a_forked_child_leaves_them_to_its_parent(tmp_path: Path) -> None:
    def fork(_: tbprof.TrainerHook, number: int) -> None:
        if number == SECOND:
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0

    assert has_inputs(train(tmp_path / "logs", fork))


def test_a_recording_of_them_that_can_t_begin_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_it(_: tbprof.TrainerHook, number: int) -> None:
        if number == FIRST - 1:
            monkeypatch.setattr("tbprof.hook.session.INPUT_STEPS", None)

    assert not has_inputs(train(tmp_path / "logs", break_it))
    assert any("What operators are given was not recorded" in message for message in caplog.messages)
