"""Each era and vendor calls the same things by other names."""

from __future__ import annotations

from pathlib import Path

import pytest
from trace_samples import a_step, cells_of, classic, complete, kernel, rows_of, write

from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import CATEGORIES, KinetoCategory, era_of
from tbprof.trace.importers.kineto.reader import read_trace


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("cpu_op", Category.CPU_OP),
        ("Operator", Category.CPU_OP),
        ("user_annotation", Category.USER_ANNOTATION),
        ("cuda_runtime", Category.RUNTIME),
        ("cuda_driver", Category.RUNTIME),
        ("xpu_runtime", Category.RUNTIME),
        ("hip_api", Category.RUNTIME),
        ("Runtime", Category.RUNTIME),
        ("kernel", Category.KERNEL),
        ("Kernel", Category.KERNEL),
        ("gpu_memcpy", Category.MEMCPY),
        ("Memcpy", Category.MEMCPY),
        ("gpu_memset", Category.MEMSET),
        ("Memset", Category.MEMSET),
        ("cuda_sync", Category.SYNC),
        ("python_function", Category.PYTHON),
        ("gpu_user_annotation", Category.GPU_ANNOTATION),
        ("overhead", Category.OVERHEAD),
        ("Trace", Category.OTHER),
        ("cuda_profiler_range", Category.OTHER),
        ("", Category.OTHER),
    ],
)
def test_categories(text: str, category: Category) -> None:
    assert CATEGORIES[KinetoCategory(text).number] == category


@pytest.mark.parametrize(
    ("categories", "base", "decimals", "era"),
    [
        ({"Kernel", "Trace", "async_gpu"}, False, False, "2021"),
        ({"cpu_op", "kernel", "async_cpu_to_gpu"}, False, False, "2022"),
        ({"cpu_op", "kernel", "ac2g"}, False, False, "2023"),
        ({"cpu_op"}, False, False, "2023"),
        ({"cpu_op", "kernel", "ac2g"}, True, True, "2024+"),
        ({"cpu_op"}, False, True, "2024+"),
        ({"cpu_op"}, True, False, "2024+"),
    ],
)
def test_the_first_mark_decides_the_era(categories: set[str], base: bool, decimals: bool, era: str) -> None:
    met = set(map(KinetoCategory, categories))

    assert era_of(met, has_base_time=base, has_decimals=decimals) == era


@pytest.mark.parametrize(
    ("name", "era"),
    [
        ("kineto_resnet50_nw4/worker0.1623212756351.pt.trace.json.gz", "2021"),
        ("hta_degenerate/minimal_old.json.gz", "2021"),
        ("hta_trace_diff/test.json.gz", "2022"),
        ("hta_critical_path/event_sync.json.gz", "2023"),
        ("dlrm_v100_8rank/worker0_step_12.1694128201545.pt.trace.json.gz", "2023"),
        ("hta_degenerate/triton.json.gz", "2024+"),
        ("vllm_b200_tp8_eager/b200_eager.json.gz", "2024+"),
        ("hta_nccl_ddp/ns_resolution.json.gz", "2024+"),
    ],
)
def test_the_era_of_real_files(traces: Path, name: str, era: str) -> None:
    assert read_trace(traces / name).era == era


def test_2021_writes_steps_as_operators_and_streams_as_words(tmp_path: Path) -> None:
    events = [
        complete("ProfilerStep#3", 100, 50, "Operator", 9, "9"),
        complete("aten::to", 101, 40, "Operator", 9, "9", **{"Call stack": "train.py(3): step;b"}),
        complete("cudaMemcpyAsync", 102, 5, "Runtime", 9, "9", correlation=4),
        complete(
            "Memcpy HtoD (Pageable -> Device)", 103, 9, "Memcpy", 0, "stream 7", correlation=4, bytes=64
        ),
    ]

    trace = read_trace(write(tmp_path, classic(events, tail={})))

    assert trace.era == "2021"
    assert [row[3] for row in rows_of(trace)] == [
        Category.USER_ANNOTATION,
        Category.CPU_OP,
        Category.RUNTIME,
        Category.MEMCPY,
    ]
    assert cells_of(trace.device) == {3: 0}
    assert cells_of(trace.stream) == {3: 7}
    assert cells_of(trace.bytes) == {3: 64}
    assert {row: trace.names[stack] for row, stack in cells_of(trace.call_stack).items()} == {
        1: "train.py(3): step;b"
    }


def test_rocm_tells_the_direction_by_the_call(traces: Path) -> None:
    trace = read_trace(traces / "mi300_bert_small_infer" / "mi300_bert_small.json.gz")

    kinds = cells_of(trace.copy_kind)
    assert [(rows_of(trace)[row][2], kind) for row, kind in kinds.items()] == [("hipMemcpyWithStream", 2)]


def test_a_sync_record_says_what_was_awaited(tmp_path: Path) -> None:
    none_named, unsigned = -1, 2**32 - 1
    waits = {"wait_on_stream": 20, "wait_on_cuda_event_record_corr_id": 77}
    events = [
        *a_step(),
        complete("Context Sync", 1, 1, "cuda_sync", 0, -1, stream=unsigned, device=0, correlation=5),
        complete("Event Sync", 1, 1, "cuda_sync", 0, -1, stream=none_named, device=0, correlation=6, **waits),
        complete("Stream Sync", 1, 1, "cuda_sync", 0, 7, stream=7, device=0, correlation=7),
    ]

    trace = read_trace(write(tmp_path, classic(events)))

    first = len(trace.slices) - 3
    assert {row: stream for row, stream in cells_of(trace.stream).items() if row >= first} == {first + 2: 7}
    assert cells_of(trace.awaited_stream) == {first + 1: 20}
    assert cells_of(trace.awaited_record) == {first + 1: 77}
    assert trace.device.at(trace.stream.rows[-1:]).tolist() == [0]


def test_a_gpu_row_without_arguments_is_placed_by_its_lane(tmp_path: Path) -> None:
    bare = {**kernel("bare", 1, 1, 3), "pid": 2, "tid": 9, "args": {}}
    words = {**kernel("words", 2, 1, 3), "args": {"device": "1", "stream": "13", "correlation": 3}}

    trace = read_trace(write(tmp_path, classic([bare, words])))

    assert cells_of(trace.device) == {0: 2, 1: 1}
    assert cells_of(trace.stream) == {0: 9, 1: 13}
