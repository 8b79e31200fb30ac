"""Recordings that are odd in ways that public bug reports tell of: rows lost, shifted, malformed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trace_builder import TraceBuilder

GEMM = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x4_nn"
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
A100 = "NVIDIA A100-SXM4-80GB"
MI355X = "AMD Instinct MI355X"


def kernels(built: TraceBuilder) -> list[dict[str, Any]]:
    return [event for event in built.events if event.get("cat") == "kernel"]


def training(
    *,
    steps: int = 4,
    launches: int = 20,
    kernel_us: float = 90,
    vendor: str = "cuda",
    late_us: float = 0,
    start_us: float = 0,
    device: int = 0,
) -> TraceBuilder:
    """Steps with a product every 100 us, and 200 us of something else at their ends."""
    built = TraceBuilder(vendor=vendor)
    built.device_name = A100 if vendor == "cuda" else MI355X
    at = start_us
    for number in range(steps):
        built.step(number, at, at + 100 * launches + 200)
        for index in range(launches):
            call = at + 10 + 100 * index
            built.op("aten::mm", call - 2, call + 8)
            runs = (call + 10 + late_us, call + 10 + late_us + kernel_us)
            built.launch(call, call + 6, runs=runs, name=GEMM, device=device)
        at += 100 * launches + 200
    return built


def without_rows(built: TraceBuilder, is_lost: Callable[[int], bool]) -> TraceBuilder:
    """Without the kernels whose number, in the order of their start, is one of the lost ones."""
    lost = {id(event) for number, event in enumerate(kernels(built)) if is_lost(number)}
    built.events = [event for event in built.events if id(event) not in lost]
    return built


def launching_thread_without_operators() -> TraceBuilder:
    """The profiler was started on another thread, which made one tensor."""
    built = training()
    built.events = [event for event in built.events if event.get("cat") != "cpu_op"]
    built.op("aten::empty", 1, 4, thread=7)
    return built


def iterations_after_a_start(*, turns: int = 20) -> TraceBuilder:
    """No step is marked: 30 ms of start, then turns of six short kernels, 700 us apart."""
    built = TraceBuilder()
    built.op("aten::empty", 0, 1)
    for turn in range(turns):
        for index in range(6):
            at = 30_000 + 700.0 * turn + 110 * index
            built.op("aten::add", at - 2, at + 8)
            built.launch(at, at + 6, runs=(at + 8, at + 10))
    return built


def exchange_after_a_start() -> TraceBuilder:
    """Four exchanges of 480 us each and a short product after each, in a recording of 6 ms."""
    built = TraceBuilder()
    built.rank = 0
    built.op("aten::empty", 0, 1)
    for turn in range(4):
        at = 4_000 + 500.0 * turn
        name = "ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)"
        built.op("c10d::alltoall_", at - 2, at + 8)
        built.launch(at, at + 6, runs=(at + 8, at + 488), name=name, stream=16)
        built.op("aten::mm", at + 10, at + 20)
        built.launch(at + 12, at + 18, runs=(at + 489, at + 495), name=GEMM)
    return built


def on_mps(*, turns: int = 80) -> TraceBuilder:
    """Apple's GPU, of which no row is recorded: a read of a number waits 0.3 ms for it each turn."""
    built = TraceBuilder()
    for turn in range(turns):
        at = 900.0 * turn
        built.op("aten::linear", at, at + 40)
        built.op("aten::linear_backward", at + 50, at + 110)
        built.op("aten::addcdiv_", at + 120, at + 460)
        built.op("aten::item", at + 470, at + 770)
        built.op("aten::_local_scalar_dense", at + 472, at + 768)
    return built


def on_the_cpu(*, gpu: bool, convolution: str = "aten::mkldnn_convolution") -> TraceBuilder:
    """Ten turns of a convolution of 3 ms and a batch norm of 0.7; the file may name a GPU."""
    built = TraceBuilder()
    for turn in range(10):
        at = 4_000.0 * turn
        built.op("aten::conv2d", at, at + 3_010)
        built.op(convolution, at + 5, at + 3_005)
        built.op("aten::native_batch_norm", at + 3_100, at + 3_800)
    if gpu:
        built.members["deviceProperties"] = [{"id": 0, "name": "Tesla T4"}]
    return built


def all_rows_lost(*, versions: dict[str, int]) -> TraceBuilder:
    """No row of a GPU beside 80 launches; the file names versions of CUDA."""
    built = without_rows(training(), lambda _: True)
    built.members.update(versions)
    return built


def staged_uploads(*, device: str = A100, pinned_us: float = 0) -> TraceBuilder:
    """Steps of 68 ms: an upload of 154 MB that the host stages, and a read of as much; one may be pinned."""
    built = TraceBuilder()
    built.device_name = device
    large = 154_140_672
    for number in range(8):
        at = 68_000.0 * number
        built.step(number, at, at + 68_000)
        built.op("aten::copy_", at + 40, at + 32_500)
        runs = (at + 300, at + 32_500)
        built.copy("HtoD", "pageable", at + 50, at + 32_470, runs=runs, size_bytes=large, stream=20)
        built.op("aten::copy_", at + 32_550, at + 67_850)
        runs = (at + 32_600, at + 67_800)
        built.copy("DtoH", "pageable", at + 32_560, at + 67_830, runs=runs, size_bytes=large)
        if pinned_us:
            runs = (at + 67_860, at + 67_860 + pinned_us)
            built.copy("HtoD", "pinned", at + 67_852, at + 67_856, runs=runs, size_bytes=1_600_000)
        built.synchronize("cudaDeviceSynchronize", at + 67_990, at + 67_998)
    return built


def held_back_submissions(*, late_us: float = 560) -> TraceBuilder:
    """A driver that submits only once the host waits: three launches and a synchronize, 20 times."""
    built = TraceBuilder()
    for turn in range(20):
        at = 660.0 * turn
        built.op("aten::coalesce", at, at + 640)
        built.op("aten::_coalesce", at + 2, at + 632)
        for index in range(3):
            runs = (at + late_us + 3 * index, at + late_us + 2 + 3 * index)
            built.launch(at + 10 + 8 * index, at + 13 + 8 * index, runs=runs, name="_kernel_agent")
        built.synchronize("cudaStreamSynchronize", at + 40, at + 580)
    return built


def loader_before_the_window() -> TraceBuilder:
    """A loader that takes 6.7 ms before the GPU's first work, and 0.43 in each turn."""
    built = TraceBuilder()
    built.device_name = A100
    built.annotation(LOADER, 0, 6_700)
    for turn in range(20):
        at = 38_000 + 2_000.0 * turn
        built.annotation(LOADER, at, at + 430)
        for index in range(6):
            call = at + 440 + 250 * index
            built.op("aten::mm", call - 2, call + 8)
            built.launch(call, call + 6, runs=(call + 10, call + 14), name=GEMM)
    return built


def attention_on_the_cpu(*, op_us: float = 18) -> TraceBuilder:
    """Between two launches of 5 us the host computes for 180 us, in nine small operators of the CPU."""
    built = TraceBuilder()
    for turn in range(20):
        at = 200.0 * turn
        for index in range(9):
            begin = at + 20 * index
            built.op("aten::bmm", begin, begin + op_us)
        built.op("aten::add", at + 184, at + 196)
        built.launch(at + 186, at + 191, runs=(at + 192, at + 194))
    return built


def tiny_window_with_few_lost() -> TraceBuilder:
    """Nineteen launches in 2 ms, of which the work of two is lost; the host computes meanwhile."""
    built = TraceBuilder()
    for number in range(19):
        at = 10.0 * number if number < 10 else 1_900 + 10.0 * number
        built.op("aten::add", at, at + 8)
        built.launch(at + 1, at + 5, runs=(at + 6, at + 10))
    built.annotation("attention", 110, 1_990)
    return without_rows(built, lambda number: number in (4, 5))


def communication_without_calls() -> TraceBuilder:
    """All rows of communication have correlation 0: as many as there are calls without a row."""
    built = training(vendor="hip", kernel_us=40)
    built.rank = 0
    for step in range(4):
        for index in range(6):
            at = 2_200.0 * step + 50 + 300 * index
            built.op("record_param_comms", at, at + 20)
            built.call("hipExtLaunchKernel", at + 4, at + 12)
            name = "ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)"
            built.kernel(at + 70, at + 200, name=name, stream=9, correlation=0)
    return built


def shared_correlations() -> TraceBuilder:
    """Four rows of the GPU each share the correlation of the first."""
    built = training(vendor="hip")
    rows = kernels(built)
    for first in range(0, len(rows) - 3, 4):
        for other in range(1, 4):
            rows[first + other]["args"]["correlation"] = rows[first]["args"]["correlation"]
    return built
