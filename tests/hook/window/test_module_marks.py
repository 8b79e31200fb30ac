"""Marks around modules: what they are called, and that nothing of them stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, fx, nn
from torch.profiler import ProfilerActivity, profile

from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.module_owners import ROOT, find_owners
from tbprof.analysis.figures.module_table import MODULE_TABLES
from tbprof.analysis.figures.operators import find_operators
from tbprof.hook.options import RecordOptions
from tbprof.hook.safety.cuda_device import crashes_with_stack
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.schedule import Schedule
from tbprof.hook.window import module_marks
from tbprof.hook.window.module_marks import MOST_WINDOWS, ModuleMarks
from tbprof.hook.window.window import ProfiledWindow
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.importers.kineto.reader import read_trace

_TORCHS = nn.Module.__call__


class Net(nn.Module):
    """A layer that holds another, and one that is made anew in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(2, 2)), nn.Linear(2, 2)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return nn.Softmax(dim=1)(x)


class Failing(nn.Module):
    def forward(self, _: Tensor) -> Tensor:
        raise ArithmeticError


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Other tests of this process have windows as well.
    monkeypatch.setattr(module_marks, "_windows", [0])
    yield
    assert nn.Module.__call__ is _TORCHS


def recorded(program: Callable[[], object], folder: Path, marks: ModuleMarks | None = None) -> list[str]:
    """The marks in the order in which they begin, each with a space for every one around it."""
    marks = ModuleMarks(MissingFacts()) if marks is None else marks
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        marks.begin()
        try:
            program()
        finally:
            marks.end()
        torch.ones(1)
    profiler.export_chrome_trace(str(folder / "trace.json"))
    return marks_of(folder / "trace.json")


def marks_of(trace: Path) -> list[str]:
    rows = json.loads(trace.read_bytes())["traceEvents"]
    found: list[Any] = [row for row in rows if str(row.get("name")).startswith("nn.Module: ")]
    assert {row["cat"] for row in found} <= {"cpu_op"}
    found.sort(key=lambda row: (row["ts"], -row["dur"]))
    ends = [row["ts"] + row["dur"] for row in found]
    depths = [sum(end > row["ts"] for end in ends[:at]) for at, row in enumerate(found)]
    return [
        " " * depth + row["name"].removeprefix("nn.Module: ")
        for row, depth in zip(found, depths, strict=True)
    ]


def test_a_mark_has_the_path_from_the_outermost_module_and_the_class(tmp_path: Path) -> None:
    net = Net()
    assert recorded(lambda: net(torch.ones(1, 2)), tmp_path) == [
        "Net (Net)",
        " Net.layers.0 (Sequential)",
        "  Net.layers.0.0 (Linear)",
        " Net.layers.1 (Linear)",
        " Net.Softmax (Softmax)",
    ]


def test_two_outermost_modules_of_one_class_are_told_apart(tmp_path: Path) -> None:
    first, second = nn.ReLU(), nn.ReLU()

    def program() -> None:
        for model in (first, second, first):
            model(torch.ones(1))

    assert recorded(program, tmp_path) == ["ReLU (ReLU)", "ReLU_1 (ReLU)", "ReLU (ReLU)"]


def test_a_module_that_raises_ends_its_mark(tmp_path: Path) -> None:
    model, after = nn.Sequential(Failing()), nn.ReLU()

    def program() -> None:
        with pytest.raises(ArithmeticError):
            model(torch.ones(1))
        after(torch.ones(1))

    assert recorded(program, tmp_path) == [
        "Sequential (Sequential)",
        " Sequential.0 (Failing)",
        "ReLU (ReLU)",
    ]


def test_a_module_that_is_called_when_the_marks_end_has_ended_its_own(tmp_path: Path) -> None:
    marks = ModuleMarks(MissingFacts())

    class Ending(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            marks.end()
            return x

    assert recorded(lambda: Ending()(torch.ones(1)), tmp_path, marks) == ["Ending (Ending)"]


def test_what_another_tool_has_put_over_the_marks_stays_and_they_do_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nn.Module, "__call__", _TORCHS)
    marks, model = ModuleMarks(MissingFacts()), nn.ReLU()

    def program() -> None:
        ours = nn.Module.__call__
        nn.Module.__call__ = lambda *arguments: ours(*arguments)
        model(torch.ones(1))
        theirs = nn.Module.__call__
        marks.end()
        assert nn.Module.__call__ is theirs
        model(torch.ones(1))

    assert recorded(program, tmp_path, marks) == ["ReLU (ReLU)"]
    # Before anybody looks at what is left.
    monkeypatch.undo()


def test_what_another_tool_puts_back_when_the_marks_have_ended_makes_way(tmp_path: Path) -> None:
    marks, model = ModuleMarks(MissingFacts()), nn.ReLU()

    class Ending(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            marks.end()
            return x + 1

    def program() -> None:
        # It puts its own over the marks, and back what it found.
        assert [node.name for node in fx.Tracer().trace(Ending()).nodes] == ["x", "add", "output"]
        model(torch.ones(1))
        assert nn.Module.__call__ is _TORCHS

    recorded(program, tmp_path, marks)


def test_a_process_of_many_windows_marks_the_first_of_them() -> None:
    for number in range(MOST_WINDOWS + 1):
        marks = ModuleMarks(MissingFacts())
        marks.begin()
        assert (nn.Module.__call__ is not _TORCHS) == (number < MOST_WINDOWS)
        marks.end()


def test_in_a_forked_child_nothing_is_marked(tmp_path: Path) -> None:
    window = ProfiledWindow(
        Schedule(warmup=1, active=1), RecordOptions(), tmp_path, "worker", lambda: None, marks_modules=True
    )
    window.start()
    assert nn.Module.__call__ is not _TORCHS
    window.forget()
    assert nn.Module.__call__ is _TORCHS
    window.abandon()


def test_a_fault_of_the_marks_ends_them_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> object:
        raise RuntimeError("no more marks")

    monkeypatch.setattr(torch._C._profiler, "_RecordFunctionFast", fail)
    missing = MissingFacts()
    result: list[Tensor] = []
    assert recorded(lambda: result.append(Net()(torch.ones(1, 2))), tmp_path, ModuleMarks(missing)) == []
    assert [(fact.name, fact.reason) for fact in missing.facts] == [
        ("module_marks", "RuntimeError: no more marks")
    ]
    assert len(result) == 1


@pytest.mark.parametrize(
    "with_stack",
    [False, pytest.param(True, marks=pytest.mark.skipif(crashes_with_stack(), reason="ends this process"))],
)
@pytest.mark.parametrize("stop_early", [False, True])
def test_a_window_marks_its_recorded_steps_where_no_stacks_name_modules(
    tmp_path: Path, *, with_stack: bool, stop_early: bool
) -> None:
    model, schedule = nn.ReLU(), Schedule(warmup=1, active=2)
    options = RecordOptions(with_stack=with_stack)
    window = ProfiledWindow(schedule, options, tmp_path, "worker", lambda: None, marks_modules=True)
    window.start()
    for _ in range(2 if stop_early else 3):
        model(torch.ones(1))
        window.advance()
    window.stop()
    model(torch.ones(1))
    assert window.trace is not None
    events = json.loads(window.trace.read_bytes())["traceEvents"]
    marks = [row for row in events if row.get("name") == "nn.Module: ReLU (ReLU)"]
    assert len(marks) == (0 if with_stack else 1 if stop_early else 2)


def test_what_a_training_computes_lies_in_marked_modules_forward_and_backward(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(72, 72), nn.Linear(72, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def program() -> None:
        nn.functional.cross_entropy(
            model(torch.ones(8, 1, 8, 8)), torch.zeros(8, dtype=torch.long)
        ).backward()
        optimizer.step()

    program()
    recorded(program, tmp_path)
    facts = Facts(read_trace(tmp_path / "trace.json", tables=FACTS_TABLES | MODULE_TABLES))
    owners, operators = find_owners(facts), find_operators(facts)
    slices, rows = facts.trace.slices, operators.rows
    at = owners.nest.innermost(slices.lane[rows].astype(int), slices.start_ns[rows], slices.end_of(rows))
    node = np.where(at == NONE, ROOT, owners.node[at])
    names = np.array([facts.trace.names[name] for name in slices.name[rows]])
    assert not any(name.startswith("nn.Module: ") for name in names)
    assert set(names[node == ROOT]) <= {
        "aten::ones",
        "aten::zeros",
        "aten::empty",
        "aten::fill_",
        "aten::zero_",
    }
    is_backward = (at != NONE) & owners.is_backward[np.maximum(at, 0)]
    backward = {label.name for one in set(node[is_backward].tolist()) if (label := owners.labels[one])}
    assert {"Sequential.0", "Sequential.2", "Sequential.3", "loss"} <= backward
