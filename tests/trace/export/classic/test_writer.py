"""What the unmodified torch-tb-profiler shows of a trace's classic copy."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from classic_plugin import copy_of, costs, operators, shown, shown_of
from torch_tb_profiler.profiler.module_op import aggegate_module_view
from torch_tb_profiler.run import RunProfile
from trace_builder import TraceBuilder

# The plugin's own use of pandas is out of date.
pytestmark = pytest.mark.filterwarnings("ignore")

ERAS = ["2022", "2023", "2024+"]
SAMPLES = sorted((Path(__file__).parents[4] / "logs" / "samples").glob("*/*.json.gz"))


def training_step(era: str = "2024+", vendor: str = "cuda") -> TraceBuilder:
    """One step: the loader, an operator in another with a kernel each, a copy, the device's tail."""
    trace = TraceBuilder(era, vendor)
    trace.step(7, 0, 1000)
    trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 210)
    trace.op("aten::linear", 300, 500)
    trace.launch(320, 330, runs=(340, 440), name="bias")
    trace.op("aten::addmm", 350, 450)
    trace.launch(360, 380, runs=(440, 640), name="gemm")
    trace.op("aten::copy_", 600, 700)
    trace.copy("DtoH", "pageable", 610, 690, runs=(640, 690))
    trace.op("aten::relu", 900, 950)
    trace.launch(910, 920, runs=(960, 1210), name="relu")
    return trace


@pytest.mark.parametrize("vendor", ["cuda", "hip"])
@pytest.mark.parametrize("era", ERAS)
def test_operators_have_the_time_of_what_they_launched(era: str, vendor: str) -> None:
    table = operators(shown_of(training_step(era, vendor)))
    device = {name: (row.self_device_duration, row.device_duration) for name, row in table.items()}
    assert device == {
        "aten::linear": (100, 300),
        "aten::addmm": (200, 200),
        "aten::copy_": (50, 50),
        "aten::relu": (250, 250),
    }
    host = {name: (row.self_host_duration, row.host_duration) for name, row in table.items()}
    # The time of a call is not its operator's own.
    assert host["aten::linear"] == (90, 200)
    assert host["aten::addmm"] == (80, 100)


@pytest.mark.parametrize("era", ERAS)
def test_the_overview_has_every_category_and_the_tail_of_the_device(era: str) -> None:
    profile = shown_of(training_step(era))
    assert costs(profile) == {
        "Kernel": 550,
        "Memcpy": 50,
        "Runtime": 20,
        "DataLoader": 200,
        "CpuOp": 80,
        "Other": 310,
        "Total": 1210,
    }
    assert profile.steps_names == ["7"]


def test_without_a_copy_the_plugin_shows_none_of_this() -> None:
    profile = shown(training_step("2023").to_json())
    assert sum(row.self_device_duration for row in profile.op_list_groupby_name) == 0
    assert not costs(profile).keys() & {"Runtime", "DataLoader"}


def test_a_step_on_the_device_is_no_second_step() -> None:
    trace = training_step()
    trace.gpu_annotation("ProfilerStep#7", 340, 1210)
    profile = shown_of(trace)
    assert profile.steps_names == ["7"]
    assert costs(profile)["Total"] == 1210


def test_a_driver_call_is_a_launch() -> None:
    trace = TraceBuilder()
    trace.op("triton_fused", 0, 100)
    correlation = trace.call("cuLaunchKernel", 10, 20)
    trace.kernel(30, 90, correlation=correlation)
    assert operators(shown_of(trace))["triton_fused"].self_device_duration == 60


def test_a_launch_outside_every_operator_has_a_row_of_its_own() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.graph_launch(100, 150, runs=[(200, 300), (300, 350)])
    trace.op("aten::add", 500, 600)
    trace.launch(510, 520, runs=(530, 540))
    table = operators(shown_of(trace))
    row = table["[no operator] cudaGraphLaunch"]
    assert (row.calls, row.self_device_duration, row.self_host_duration) == (1, 150, 0)


@pytest.mark.parametrize(
    "around", ["Optimizer.step#Adam.step", "DistributedDataParallel.forward", "ProfilerStep#3"]
)
def test_a_range_that_the_table_leaves_out_hides_no_device_time(around: str) -> None:
    trace = TraceBuilder()
    trace.annotation(around, 0, 100)
    trace.launch(10, 20, runs=(30, 50))
    table = operators(shown_of(trace))
    assert {name: row.self_device_duration for name, row in table.items()} == {
        "[no operator] cudaLaunchKernel": 20
    }


def test_work_that_was_launched_before_the_window_is_shown_and_belongs_to_no_step() -> None:
    trace = TraceBuilder()
    trace.step(4, 100, 1000)
    trace.kernel(50, 250, correlation=9)
    trace.op("aten::add", 200, 300)
    trace.launch(210, 220, runs=(300, 400))
    profile = shown_of(trace)
    assert operators(profile)["[launch not recorded]"].self_device_duration == 200
    # The plugin's first step begins where the work of the one before ends.
    assert costs(profile)["Total"] == 750


def test_a_trace_of_kernels_alone_is_shown() -> None:
    trace = TraceBuilder()
    trace.kernel(50, 250, correlation=9)
    trace.kernel(300, 350, correlation=10)
    profile = shown_of(trace)
    assert operators(profile)["[launch not recorded]"].self_device_duration == 250
    assert costs(profile)["Kernel"] == 250


def collective(trace: TraceBuilder, kernel: str, start: float, runs: tuple[float, float]) -> None:
    """A collective as DDP calls it: an operator, the library's range, the launch."""
    trace.op("c10d::allreduce_", start, start + 50)
    trace.annotation("nccl:all_reduce", start + 10, start + 40)
    trace.launch(start + 20, start + 30, runs=runs, name=kernel, stream=20)


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "nccl:all_reduce"),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "nccl:broadcast"),
        ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "nccl:reduce_scatter"),
        # RCCL does not say which one it is: the operator around does.
        ("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", "nccl:all_reduce"),
    ],
)
def test_a_collective_is_communication_and_not_computation(kernel: str, name: str) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    collective(trace, kernel, 100, (200, 500))
    trace.op("aten::mm", 300, 320)
    trace.launch(305, 310, runs=(400, 600))
    profile = shown_of(trace)
    assert costs(profile)["Communication"] == 200
    assert costs(profile)["Kernel"] == 200
    [overlap] = profile.comm_overlap_costs
    assert (overlap.communication, overlap.overlap, overlap.computation) == (300, 100, 200)
    row = operators(profile)[name]
    assert (row.calls, row.self_device_duration, row.self_host_duration) == (1, 300, 0)


def test_collectives_of_a_graph_are_told_from_its_other_kernels() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.graph_launch(100, 150, runs=[(200, 300)])
    correlation = trace.events[-1]["args"]["correlation"]
    trace.kernel(300, 700, name="ncclDevKernel_AllGather_RING_LL", correlation=correlation)
    profile = shown_of(trace)
    assert (costs(profile)["Kernel"], costs(profile)["Communication"]) == (100, 400)


def test_the_size_of_a_collective_is_that_of_its_arguments() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    collective(trace, "ncclDevKernel_Generic", 100, (200, 500))
    said = {"Collective name": "_reduce_scatter_base", "In msg nelems": 1000, "dtype": "BFloat16"}
    next(event for event in trace.events if event["cat"] == "kernel")["args"].update(said)
    [node] = shown_of(trace).comm_node_list
    assert (node.name, node.input_shape, node.input_type) == (
        "nccl:reduce_scatter", [[1000]], ["c10::BFloat16"],
    )  # fmt: skip


def test_gloo_beside_nccl_does_not_close_the_distributed_view() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.annotation("gloo:all_reduce", 10, 50)
    collective(trace, "ncclDevKernel_AllReduce", 100, (200, 500))
    assert [node.name for node in shown_of(trace).comm_node_list] == ["nccl:all_reduce"]


def test_operators_have_the_stack_of_the_frames_around_them() -> None:
    trace = TraceBuilder()
    trace.frame("train.py(9): <module>", 0, 1000)
    trace.frame("train.py(12): step", 100, 400)
    trace.frame("<built-in method relu of type object at 0x7f>", 190, 310)
    trace.op("aten::relu", 200, 300)
    trace.op("aten::relu", 500, 600)
    stacks = shown_of(trace).stack_lists_group_by_name["aten::relu"]
    assert [(next(iter(row.callstacks)), row.calls) for row in stacks] == [
        ("train.py(12): step;train.py(9): <module>", 1),
        ("train.py(9): <module>", 1),
    ]


def test_modules_have_the_time_of_their_operators() -> None:
    trace = TraceBuilder()
    for number, (name, start, end) in enumerate(
        [("nn.Module: Net_0", 0, 900), ("net.py(4): forward", 10, 890), ("nn.Module: Linear_0", 20, 500)]
    ):
        trace.frame(name, start, end)
        ids = {"Python id": number + 1, "Python parent id": number or None}
        trace.events[-1]["args"] = {**ids, "Python module id": 0} if "Module" in name else ids
    trace.op("aten::linear", 30, 400)
    trace.launch(40, 50, runs=(60, 260))
    trace.launch(600, 610, runs=(620, 640))
    profile = shown_of(trace)
    [net] = aggegate_module_view(profile.tid2tree, profile.events)
    [linear] = net.children
    assert (net.name, net.device_duration, net.host_duration) == ("Net_0", 220, 900)
    assert (linear.name, linear.operators, linear.device_duration) == ("Linear_0", 1, 200)


def test_a_range_that_ends_outside_of_the_one_around_it_keeps_what_it_launched() -> None:
    trace = TraceBuilder()
    trace.annotation("forward", 0, 500)
    trace.annotation("prefetch", 400, 700)
    trace.launch(450, 460, runs=(500, 530))
    row = operators(shown_of(trace))["prefetch"]
    assert (row.self_device_duration, row.host_duration) == (30, 100)


def test_a_step_is_never_cut_by_a_range_that_it_crosses() -> None:
    trace = TraceBuilder()
    trace.annotation("epoch", 0, 500)
    trace.step(1, 100, 600)
    trace.step(2, 600, 900)
    profile = shown_of(trace)
    assert [step.costs[-1] for step in profile.steps_costs] == [500, 300]
    assert operators(profile)["epoch"].host_duration == 100


def test_an_operator_that_calls_itself_loses_no_device_time() -> None:
    trace = TraceBuilder()
    trace.op("aten::to", 0, 100)
    trace.launch(5, 10, runs=(20, 30))
    trace.op("aten::to", 40, 90)
    trace.launch(50, 60, runs=(70, 75))
    row = operators(shown_of(trace))["aten::to"]
    assert (row.calls, row.self_device_duration) == (1, 15)


def test_times_in_ns_lose_no_operator() -> None:
    trace = TraceBuilder()
    trace.op("aten::outer", 0.001, 1000.007)
    for start in range(1, 990):
        trace.op("aten::inner", start + 0.003, start + 0.997)
    trace.op("aten::last", 999.001, 1000.007)
    table = operators(shown_of(trace))
    assert {name: row.calls for name, row in table.items()} == {
        "aten::inner": 989, "aten::outer": 1, "aten::last": 1,
    }  # fmt: skip
    assert table["aten::inner"].host_duration == pytest.approx(989 * 0.994, abs=0.13)


def test_threads_of_two_processes_stay_apart() -> None:
    trace = TraceBuilder()
    trace.op("aten::add", 0, 100)
    trace.op("aten::mul", 50, 150)
    trace.events[-1]["pid"] = 200
    assert set(operators(shown_of(trace))) == {"aten::add", "aten::mul"}


def test_memory_of_any_device_is_shown() -> None:
    trace = TraceBuilder()
    trace.op("aten::empty", 0, 100)
    trace.memory(50, 1024)
    # As builds for other devices number them.
    said = {"Device Type": 20, "Addr": 1, "Total Allocated": 1024, "Total Reserved": 2048}
    trace.events[-1]["args"] |= said
    profile = shown_of(trace)
    statistics = profile.memory_snapshot.get_memory_statistics(profile.tid2tree)
    assert statistics["GPU0"]["aten::empty"][:3] == [1024, 1024, 1]


@pytest.mark.parametrize("era", ["2021", *ERAS])
def test_a_trace_of_memory_alone_keeps_its_curve(era: str) -> None:
    trace = TraceBuilder(era)
    for at, size_bytes in ((10, 1024), (20, 4096), (30, -1024)):
        trace.memory(at, size_bytes)
    recorded = trace.events
    copied = [event for event in copy_of(trace)["traceEvents"] if event["name"] == "[memory]"]
    assert [event["args"] for event in copied] == [
        event["args"] for event in recorded if event["name"] == "[memory]"
    ]
    assert len({event["ts"] for event in copied}) == 3


def test_the_counters_that_the_plugin_adds_are_events() -> None:
    trace = training_step()
    document = {**trace.to_json(), "INFO": [1, 2]}
    copied = copy_of_document(document)
    run = RunProfile("worker", None)
    run.gpu_metrics = ['{"ph": "C", "name": "GPU 0 Utilization"}']
    drawn = json.loads(gzip.decompress(run.append_gpu_metrics(json.dumps(copied).encode())))
    assert drawn["traceEvents"][-1]["ph"] == "C"


def copy_of_document(document: dict[str, Any]) -> dict[str, Any]:
    trace = TraceBuilder()
    trace.to_json = lambda: document  # type: ignore[method-assign]
    return copy_of(trace)


def test_a_file_of_2021_keeps_its_events() -> None:
    trace = training_step("2021")
    copied = copy_of(trace)
    key = json.dumps
    assert sorted(map(key, copied["traceEvents"])) == sorted(map(key, trace.events))


def test_what_stands_behind_the_events_is_found() -> None:
    document = training_step().to_json()
    devices = document.pop("deviceProperties")
    copied = copy_of_document({**document, "deviceProperties": devices})
    assert copied["deviceProperties"] == devices


def test_a_broken_event_costs_that_event() -> None:
    trace = training_step()
    trace.events.insert(3, {"ph": "X", "cat": "cpu_op", "name": "aten::no_time"})
    table = operators(shown_of(trace))
    assert sum(row.self_device_duration for row in table.values()) == 600


def test_the_other_events_of_the_copy_are_in_its_time() -> None:
    trace = training_step()
    copied = copy_of(trace)
    calls = {event["ts"] for event in copied["traceEvents"] if event.get("cat") == "Runtime"}
    arrows = [event["ts"] for event in copied["traceEvents"] if event["ph"] == "s"]
    assert len(arrows) == 4
    assert set(arrows) <= calls


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_all_device_time_of_a_recorded_trace_is_shown(path: Path) -> None:
    recorded = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    device = {"kernel", "gpu_memcpy", "gpu_memset"}
    total = sum(event["dur"] for event in recorded if event.get("ph") == "X" and event["cat"] in device)
    table = operators(shown_of(path))
    assert sum(row.self_device_duration for row in table.values()) == pytest.approx(total, rel=0.005)
    assert min(row.self_host_duration for row in table.values()) > -1


@pytest.mark.slow
def test_every_rank_shows_the_same_collectives(traces: Path) -> None:
    ranks = [shown_of(path) for path in sorted((traces / "dlrm_v100_8rank").glob("*.json.gz"))]
    names = [[node.name for node in rank.comm_node_list] for rank in ranks]
    assert names == [names[0]] * 8
    assert sorted(names[0]) == ["nccl:all_reduce"] * 3 + ["nccl:broadcast"] * 5
    # Else the plugin shows no distributed view.
    assert {len(node.kernel_ranges) for rank in ranks for node in rank.comm_node_list} == {2}


@pytest.mark.exhaustive
@pytest.mark.parametrize("sample", ["kineto_resnet50_nw0", "kineto_resnet50_nw4"])
def test_the_plugins_own_samples_look_the_same(traces: Path, sample: str) -> None:
    for path in (traces / sample).glob("*.json.gz"):
        recorded, copied = shown(json.loads(gzip.decompress(path.read_bytes()))), shown_of(path)
        assert costs(copied) == costs(recorded)
        assert {name: vars(row) for name, row in operators(copied).items()} == {
            name: vars(row) for name, row in operators(recorded).items()
        }
        assert copied.kernel_stat.equals(recorded.kernel_stat)
