"""Files of other tools are refused, and accelerators that are not analyzed are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trace_builder import TraceBuilder
from trace_samples import a_step, classic, complete, write

from tbprof.errors import NotATrace
from tbprof.report import build_report
from tbprof.trace.columns.columns import Category
from tbprof.trace.importers.kineto.reader import read_trace

PROFILERS_OWN = complete("PyTorch Profiler (0)", 0.0, 900.0, "Trace")


def without_category(name: str, pid: int | str, start: float = 10.0) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": pid, "tid": 1, "ts": start, "dur": 5.0}


def process(pid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}


def begin_and_end() -> list[dict[str, Any]]:
    event = {"cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1}
    return [{**event, "ph": "B", "ts": 1.0}, {**event, "ph": "E", "ts": 2.0}]


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (
            [without_category("aten::mm", "CPU functions")],
            "of a profiler without Kineto. Where `torch.profiler.kineto_available",
        ),
        ([process(1, "/device:GPU:0"), without_category("fusion", 1)], "those of JAX or TensorFlow"),
        (
            [complete("aten::mm", 0.0, 5.0, "CPU_OP"), PROFILERS_OWN],
            "holds 1 timed events, and none is torch",
        ),
        ([process(1, "python")] * 5, "holds 5 events, all of them names of processes and threads"),
        (begin_and_end(), "holds 2 events, and none with a duration"),
        ([complete("aten::mm", 1e18, 5.0, "cpu_op")], "no event whose time can be read, of 1"),
    ],
    ids=["legacy", "xla", "categories", "aborted", "pairs", "times"],
)
def test_a_file_of_another_tool_is_refused_with_what_it_may_be(
    tmp_path: Path, events: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(NotATrace, match=said):
        read_trace(write(tmp_path, classic(events)))


def test_rows_of_no_known_category_beside_others_are_left_alone(tmp_path: Path) -> None:
    trace = read_trace(write(tmp_path, classic([*a_step(), without_category("mine", 1)])))
    assert (trace.slices.category == Category.OTHER).sum() == 1


def test_an_npu_is_named_though_its_rows_have_no_category(tmp_path: Path) -> None:
    op = complete("aten::mm", 0.0, 50.0, "cpu_op")
    events = [process(4, "Ascend Hardware"), op, without_category("MatMulV2", 4), without_category("mine", 1)]
    path = write(tmp_path, classic(events))
    verdict = build_report(path).verdict
    assert verdict is not None
    assert (verdict.case, verdict.numbers()) == ("other_device", {"device": "NPU", "rows": 1})


def test_ranks_that_were_put_into_one_file_are_refused(tmp_path: Path) -> None:
    steps = [complete("ProfilerStep#6", 0.0, 90.0, "user_annotation", pid) for pid in (71, 72)]
    with pytest.raises(NotATrace, match="the steps of 2 processes"):
        read_trace(write(tmp_path, classic(steps)))
    on_device = complete("ProfilerStep#6", 5.0, 90.0, "gpu_user_annotation", 0)
    assert read_trace(write(tmp_path, classic([steps[0], on_device]))).num_events > 0


def test_calls_that_bear_a_version_are_those_that_do_not() -> None:
    """CUPTI's own names, as other recorders write them into this format."""
    built = TraceBuilder()
    for number in range(6):
        at = 1_000.0 * number
        built.launch(at, at + 8, runs=(at + 12, at + 600))
        built.copy("DtoH", "pageable", at + 20, at + 640, runs=(at + 605, at + 620))
        built.synchronize("cudaStreamSynchronize", at + 645, at + 650)
    plain = built.report()
    for event in built.events:
        if event.get("cat") == "cuda_runtime":
            event["name"] = {"cudaLaunchKernel": "cudaLaunchKernel_v7000"}.get(
                event["name"], f"{event['name']}_v3020_ptsz"
            )
        event["name"] = event["name"].replace("Device -> Pageable", "DEVICE -> PAGEABLE")
    versioned = built.report()
    assert plain.sync_points.count == 6
    assert (versioned.sync_points, versioned.copies, versioned.idle) == (
        plain.sync_points,
        plain.copies,
        plain.idle,
    )
