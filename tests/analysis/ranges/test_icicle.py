"""Figures of a flame graph."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.icicle import Icicle, cut_icicle, fold_smallest, shown_steps
from tbprof.analysis.figures.program_ranges import recorded_ranges
from tbprof.report import open_timeline
from tbprof.trace.columns.arrays import NONE

AUTOGRAD = 555


def training() -> TraceBuilder:
    """A cold step of 1000 us and two of 100, each with a forward and a backward pass."""
    built = TraceBuilder()
    for number, (start, length) in enumerate(((0, 1000), (1000, 100), (1100, 100))):
        built.step(number, start, start + length)
        built.frame("train.py(1): step", start, start + 90)
        built.frame("nn.Module: Net_0", start + 5, start + 35)
        built.annotation("forward", start, start + 40)
        built.op("aten::linear", start + 10, start + 30)
        built.op("aten::mm", start + 15, start + 25)
        built.launch(start + 16, start + 18, runs=(start + 20, start + 50))
        built.annotation("backward", start + 40, start + 90)
        built.op("autograd::engine::evaluate_function: MmBackward0", start + 50, start + 70, thread=AUTOGRAD)
        built.launch(start + 52, start + 54, runs=(start + 55, start + 75), thread=AUTOGRAD)
        built.launch(start + 92, start + 94, runs=(start + 93, start + 98))
    return built


def paths_of(facts: Facts, kind: str) -> dict[str, tuple[int, int, int]]:
    """By path: host us, device us and calls."""
    icicle = cut_icicle(facts, recorded_ranges(facts.trace)[kind], max_nodes=100)  # type: ignore[index]
    found: dict[str, tuple[int, int, int]] = {}
    paths = ["steps"]
    for node, (parent, name) in enumerate(zip(icicle.parent.tolist(), icicle.name.tolist(), strict=True)):
        if parent != NONE:
            paths.append(f"{paths[parent]} > {facts.trace.names[name].split('::')[-1]}")
        host, device = icicle.host_ns[node] // 1000, icicle.device_ns[node] // 1000
        found[paths[node]] = (int(host), int(device), int(icicle.calls[node]))
    return found


def test_labels_hold_what_was_launched_in_them_and_in_their_backward() -> None:
    assert paths_of(training().facts(), "label") == {
        "steps": (200, 110, 2),
        "steps > forward": (80, 60, 2),
        "steps > backward": (100, 40, 2),
    }


def test_functions_hold_the_ops_that_they_call() -> None:
    step = "steps > train.py(1): step"
    assert paths_of(training().facts(), "function") == {
        "steps": (200, 110, 2),
        step: (180, 100, 2),
        f"{step} > linear": (40, 60, 2),
        f"{step} > linear > mm": (20, 60, 2),
        f"{step} > evaluate_function: MmBackward0": (40, 40, 2),
    }


def test_modules_hold_what_their_forward_launched() -> None:
    assert paths_of(training().facts(), "module")["steps > nn.Module: Net_0"] == (60, 60, 2)


def test_only_what_was_recorded_is_offered() -> None:
    built = TraceBuilder()
    built.op("aten::mm", 0, 10)
    assert list(recorded_ranges(built.trace())) == ["operator"]


REAL = [
    "hta_trace_diff/test.json.gz",
    "hta_nccl_ddp/nccl_data.json.gz",
    "h100_owlv2_infer/h100_owlv2.json.gz",
    "h100_transformer_clean/dc3b_3169006.pt.trace.json.gz",
    "kineto_resnet50_nw0/worker0.1623143089861.pt.trace.json.gz",
]


@pytest.mark.slow
@pytest.mark.parametrize("max_nodes", [2000, 40])
@pytest.mark.parametrize("name", REAL)
def test_times_add_up_on_real_traces(traces: pathlib.Path, name: str, max_nodes: int) -> None:
    facts = open_timeline(traces / name).facts
    steps, work = facts.steps, facts.work
    shown = shown_steps(facts)
    of_steps = np.isin(steps.index_of(work.launch_start_ns), shown)
    device_ns = int((work.end_ns - work.start_ns)[of_steps].sum())
    for rows in recorded_ranges(facts.trace).values():
        icicle = cut_icicle(facts, rows, max_nodes=max_nodes)
        assert len(icicle.parent) <= max_nodes
        assert icicle.device_ns[0] == device_ns
        assert icicle.host_ns[0] == int((steps.end_ns - steps.start_ns)[shown].sum())
        for total in (icicle.host_ns, icicle.device_ns):
            inside = np.zeros(len(total), np.int64)
            np.add.at(inside, icicle.parent[1:], total[1:])
            assert (inside <= total).all()


def test_the_smallest_are_folded_into_one_of_their_parent() -> None:
    whole = Icicle(
        parent=np.array([NONE, 0, 0, 0, 2, 1]),
        name=np.array([NONE, 1, 2, 3, 4, 5]),
        calls=np.array([1, 1, 2, 3, 4, 1]),
        host_ns=np.array([100, 60, 20, 10, 15, 50]),
        device_ns=np.zeros(6, np.int64),
        folded=np.zeros(6, np.int64),
    )
    folded = fold_smallest(whole, 2)
    assert folded.parent.tolist() == [NONE, 0, 0, 1]
    assert folded.host_ns.tolist() == [100, 60, 30, 50]
    assert folded.folded.tolist() == [0, 0, 2, 1]
    assert fold_smallest(whole, 3) is whole
