"""What each module cost, forward and backward."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from module_scenes import BACKWARD, autograd_op, module, module_rows, modules_of, training, work
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_figures import FIGURES
from tbprof.analysis.figures.module_parts import Part, find_parts
from tbprof.analysis.figures.module_table import ModuleTable, module_table
from tbprof.analysis.figures.operator_table import operator_table
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.reading import read_trace


def device_us(rows: dict[str, object], name: str) -> tuple[float, float]:
    total = rows[name].total  # type: ignore[attr-defined]
    return total.device_forward_ns / 1000, total.device_backward_ns / 1000


@pytest.mark.parametrize("marked", [False, True], ids=["stacks", "marks of the hook"])
def test_backward_work_belongs_to_the_module_of_its_forward_operator(*, marked: bool) -> None:
    rows = module_rows(training(steps=2, marked=marked))
    net, layers = ("Net", "layers.0-3") if marked else ("Net_0", "Block_0-3")
    assert device_us(rows, net) == (120, 248)
    assert device_us(rows, layers) == (120, 248)
    assert device_us(rows, "up" if marked else "Linear") == (120, 248)
    assert device_us(rows, "loss") == (10, 12)
    assert device_us(rows, "SGD.step") == (14, 0)
    assert device_us(rows, "before the modules") == (6, 0)
    assert (rows[layers].count, rows[layers].own.calls, rows[layers].total.launches) == (4, 8, 24)


@pytest.mark.parametrize("marked", [False, True])
def test_equal_layers_are_one_row_and_the_odd_one_is_named(*, marked: bool) -> None:
    layers = module_rows(training(marked=marked))["layers.0-3" if marked else "Block_0-3"]
    assert layers.spread is not None and layers.spread.odd is not None
    assert layers.spread.odd.name == ("Net.layers.2" if marked else "Block_2")
    assert (layers.spread.least_ns, layers.spread.median_ns, layers.spread.most_ns) == (31000, 31000, 91000)


def test_a_tree_of_many_layers_is_short_and_as_long_for_more() -> None:
    sizes = [len(modules_of(training(layers=[3.0] * number))[1].rows) for number in (2, 5)]
    assert sizes == [10, 10]
    paths = [{row.path for row in modules_of(training(layers=[3.0] * number))[1].rows} for number in (2, 5)]
    assert paths[0] == paths[1]


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.integers(1, 2),
    st.booleans(),
)
def test_own_figures_add_up_to_those_of_the_steps(layers: list[int], steps: int, marked: bool) -> None:
    facts, table = modules_of(training(steps, layers, marked=marked))
    assert_adds_up(table)
    assert table.rows[0].total.device_ns == operator_table(facts, "name", in_steps=True).device_ns
    assert table.rows[0].total.device_ns == 1000 * steps * (3 * sum(layers) + len(layers) + 21)
    assert table.rows[0].total.idle_ns == facts.idle.by_device[0].device_ns.sum()
    assert table.rows[0].total.host_ns == facts.steps.end_ns.sum() - facts.steps.start_ns.sum()


def assert_adds_up(table: ModuleTable) -> None:
    """Each row has its own and that of the rows within."""
    for name in FIGURES:
        sums = [getattr(row.own, name) for row in table.rows]
        for at in range(len(table.rows) - 1, 0, -1):
            parent = table.rows[at].parent
            assert parent is not None and parent < at
            sums[parent] += sums[at]
        assert sums == [getattr(row.total, name) for row in table.rows], name


def test_a_module_that_autograd_runs_again_is_the_one_of_the_forward_pass() -> None:
    built = TraceBuilder()
    module(built, "Net_0", 0, 100)
    module(built, "Block_0", 10, 90)
    autograd_op(built, "CheckpointFunction", 20, 80, 1)
    work(built, 30, 10)
    autograd_op(built, "CheckpointFunctionBackward", 200, 300, 1, backward=True)
    built.frame("nn.Module: Block_0", 210, 250, thread=BACKWARD)
    work(built, 220, 12, backward=True)
    rows = module_rows(built, in_steps=False)
    assert device_us(rows, "Block_0") == (10, 12)
    assert (rows["Block_0"].parent, rows["Block_0"].own.calls) == (2 - 1, 1)


def test_the_gradients_of_what_autograd_computes_again_belong_to_its_modules() -> None:
    """Reentrant checkpointing: autograd's thread numbers what it records by itself."""
    built = TraceBuilder()
    module(built, "Net (Net)", 0, 100, marked=True)
    for at, inner in enumerate(("up", "down")):
        module(built, f"Net.{inner} (Linear)", 20 + 30 * at, 40 + 30 * at, marked=True)
    autograd_op(built, "CheckpointFunction", 10, 90, 1)
    autograd_op(built, "CheckpointFunctionBackward", 200, 600, 1, backward=True)
    for at, inner in enumerate(("up", "down")):
        built.annotation(f"nn.Module: Net.{inner} (Linear)", 210 + 50 * at, 250 + 50 * at, thread=BACKWARD)
        again: dict[str, Any] = {"Sequence number": 1 + at, "Fwd thread id": 0}
        built.op("aten::addmm", 215 + 50 * at, 245 + 50 * at, thread=BACKWARD)
        built.events[-1]["args"] |= again
        work(built, 220 + 50 * at, 3 + at, backward=True)
    for at, us in ((1, 20), (0, 10)):
        behind = 400 - 60 * at + 60
        built.op("AddmmBackward0", behind, behind + 40, thread=BACKWARD)
        built.events[-1]["args"] |= {"Sequence number": 1 + at, "Fwd thread id": 2}
        work(built, behind + 5, us, backward=True)
    rows = module_rows(built, in_steps=False)
    assert [device_us(rows, name) for name in ("up", "down", "Net")] == [(0, 13), (0, 24), (0, 37)]
    assert (rows["up"].own.calls, rows["Net"].own.device_ns) == (1, 0)


def test_the_gradient_of_a_gradient_belongs_to_the_module_of_both() -> None:
    built = TraceBuilder()
    module(built, "Critic_0", 0, 50)
    autograd_op(built, "aten::mm", 10, 40, 1)
    autograd_op(built, "MmBackward0", 100, 200, 1, backward=True)
    built.op("aten::mm", 110, 140, thread=BACKWARD)
    built.events[-1]["args"] |= {"Sequence number": 7, "Fwd thread id": 0}
    work(built, 120, 5, backward=True)
    built.op("MmBackward0", 300, 400, thread=BACKWARD)
    built.events[-1]["args"] |= {"Sequence number": 7, "Fwd thread id": 2}
    work(built, 310, 9, backward=True)
    assert device_us(module_rows(built, in_steps=False), "Critic_0") == (0, 14)


@pytest.mark.parametrize("marked", [False, True])
def test_what_lies_between_parts_is_named_by_its_place(*, marked: bool) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    work(built, 10, 3, name="batch")
    net = "Net (Net)" if marked else "Net_0"
    for at in (50, 150):
        module(built, net, at, at + 50, marked=marked)
    autograd_op(built, "aten::mm", 160, 180, 1)
    work(built, 120, 4, name="mix")
    autograd_op(built, "MmBackward0", 300, 400, 1, backward=True)
    work(built, 450, 5, name="clip")
    built.annotation("Optimizer.zero_grad#SGD.zero_grad", 480, 490)
    work(built, 495, 6, name="clip")
    built.annotation("Optimizer.step#SGD.step", 520, 600)
    work(built, 700, 7, name="average")
    rows = module_rows(built)
    assert {row.name: row.own.device_ns / 1000 for row in rows.values() if row.own.device_ns} == {
        "before the modules": 3,
        "between the modules": 4,
        "between backward and optimizer": 11,
        "after the modules": 7,
    }
    assert rows["after the modules"].own.host_ns == 400_000
    assert rows["between backward and optimizer"].own.host_ns == 110_000
    assert rows[""].total.host_ns == 1_000_000


def test_modules_within_an_optimizer_are_none_of_its() -> None:
    built = TraceBuilder()
    built.annotation("Optimizer.step#LBFGS.step", 0, 100)
    module(built, "Net_0", 10, 50)
    work(built, 20, 10)
    work(built, 60, 4)
    rows = module_rows(built, in_steps=False)
    assert (rows["Net_0"].parent, device_us(rows, "Net_0"), device_us(rows, "LBFGS.step")) == (
        0,
        (10, 0),
        (4, 0),
    )


def test_compiled_kernels_are_those_of_their_region_and_graphs_of_their_number() -> None:
    built = TraceBuilder()
    built.frame("train.py(7): step", 0, 500)
    module(built, "OptimizedModule_0", 10, 200)
    built.op("Torch-Compiled Region: 0/0", 20, 190)
    autograd_op(built, "CompiledFunction", 30, 180, 4)
    work(built, 40, 8, name="triton_poi_fused_add_0")
    built.graph_launch(100, 110, runs=[(111, 115), (116, 119)])
    for event in built.events[-2:]:
        event["args"]["graph id"] = 5
    autograd_op(built, "CompiledFunctionBackward", 300, 400, 4, backward=True)
    work(built, 310, 9, name="triton_poi_fused_mul_1", backward=True)
    rows = module_rows(built, in_steps=False)
    region = rows["Torch-Compiled Region: 0/0"]
    assert (region.kind, device_us(rows, "Torch-Compiled Region: 0/0")) == ("compiled", (15, 9))
    assert [kernel.name for kernel in region.kernels] == ["triton_poi_fused_mul_1", "triton_poi_fused_add_0"]
    assert rows["OptimizedModule_0"].source == "train.py(7): step"
    assert (rows["CUDA graph 5"].kind, device_us(rows, "CUDA graph 5")) == ("graph", (7, 0))


def test_compiled_code_of_files_without_regions_is_its_function() -> None:
    built = TraceBuilder()
    autograd_op(built, "CompiledFunction", 0, 50, 4)
    work(built, 10, 8)
    autograd_op(built, "CompiledFunctionBackward", 60, 100, 4, backward=True)
    work(built, 70, 9, backward=True)
    row = module_rows(built, in_steps=False)["CompiledFunction"]
    assert (row.kind, row.total.device_forward_ns, row.total.device_backward_ns) == ("compiled", 8000, 9000)


def test_a_backward_pass_of_a_trace_without_parts_is_outside() -> None:
    built = TraceBuilder()
    autograd_op(built, "aten::mm", 0, 50, 4)
    autograd_op(built, "MmBackward0", 60, 100, 4, backward=True)
    work(built, 70, 9, backward=True)
    assert list(module_rows(built, in_steps=False)) == ["", "outside modules"]


def test_a_graph_without_a_number_is_told_by_its_size() -> None:
    built = TraceBuilder()
    built.graph_launch(0, 10, runs=[(11, 15), (16, 19)])
    assert module_rows(built, in_steps=False)["CUDA graph of 2 kernels"].total.launches == 1


def test_a_trace_of_nothing_has_a_root() -> None:
    table = module_table(Facts(Trace.empty()), None)
    assert (len(table.rows), table.names_parts, table.has_device) == (1, False, False)


def test_work_that_was_launched_before_the_steps_belongs_to_none() -> None:
    built = training()
    built.kernel(500, 600, correlation=77)
    assert facts_of(built).work.launch.min() == -1
    assert module_rows(built)["before the modules"].total.device_ns == 3000


TRACELENS: dict[str, dict[str, list[float]]] = json.loads(
    (Path(__file__).parents[2] / "data" / "tracelens_modules.json").read_text(encoding="utf-8")
)
SAMPLES = Path(__file__).parents[3] / "logs" / "samples"


@pytest.mark.parametrize("sample", TRACELENS)
def test_kernels_lie_in_the_modules_in_which_tracelens_has_them(sample: str) -> None:
    """How many, and for how long in us; both look at the Python frames around a launch."""
    facts = Facts(read_trace(SAMPLES / sample, tables=ALL_TABLES))
    is_kernel = facts.trace.slices.category == Category.KERNEL
    names = {facts.trace.names[name] for name in facts.trace.slices.name[is_kernel].tolist()}
    found: dict[str, list[float]] = {}
    for part in all_parts(find_parts(facts, None)):
        times = [figures for name, figures in part.kernels.items() if name in names]
        if times:
            found[part.label.name] = [
                sum(calls for _, calls in times),
                sum(ns for ns, _ in times) / 1000,
            ]
    assert found.keys() == TRACELENS[sample].keys()
    for name, figures in TRACELENS[sample].items():
        assert found[name] == pytest.approx(figures), name


def all_parts(part: Part) -> Iterator[Part]:
    yield part
    for inner in part.parts:
        yield from all_parts(inner)
