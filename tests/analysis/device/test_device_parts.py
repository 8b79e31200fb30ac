"""What a device did at each moment: computing, communication, copying, nothing."""

from __future__ import annotations

import pathlib

import pytest
from public_report import PublicReport
from trace_builder import TraceBuilder

from tbprof.analysis.device.communication import is_communication

NAMES = {
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)": True,
    "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)": True,
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)": True,
    "multimem_all_reduce_kernel": True,
    "void one_shot_all_reduce_kernel<c10::BFloat16>": True,
    "void deep_ep::intranode::dispatch<8, 768>(int4*)": True,
    "nvshmemi_transfer_rma": True,
    "void at::native::reduce_kernel<512, 1>": False,
    "ampere_sgemm_128x64_nn": False,
    "void at::native::vectorized_elementwise_kernel<4>": False,
}


@pytest.mark.parametrize("name", NAMES)
def test_communication_is_told_by_the_name_of_its_kernel(name: str) -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3), name=name)
    facts = built.facts()
    assert is_communication(facts.trace, facts.work).tolist() == [NAMES[name]]


def test_a_kernel_of_any_name_is_communication_if_a_collective_launched_it() -> None:
    built = TraceBuilder()
    built.op("record_param_comms", 0, 10)
    built.launch(5, 6, runs=(20, 30), name="some_new_kernel")
    built.launch(15, 16, runs=(30, 40), name="some_new_kernel")
    facts = built.facts()
    assert is_communication(facts.trace, facts.work).tolist() == [True, False]


def mixed() -> TraceBuilder:
    """100 us: computing for 40, 10 of them beside communication of 30, then 15 of copying beside nothing."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(0, 1, runs=(10, 50))
    built.launch(2, 3, runs=(40, 70), name="ncclDevKernel_AllGather", stream=20)
    built.copy("HtoD", "pinned", 4, 5, runs=(45, 85), stream=30)
    return built


def test_the_parts_and_the_idle_add_up_to_the_step() -> None:
    (step,) = mixed().report().steps
    assert (step.computing_ns, step.communication_exposed_ns, step.copying_ns) == (40_000, 20_000, 15_000)
    assert step.device_idle_ns == 25_000


def test_on_every_public_trace_they_add_up(traces: pathlib.Path, public_report: PublicReport) -> None:
    for path in sorted(traces.glob("*/*.json.gz")):
        if path.parent.name in ("malformed", "straggler_what_if"):
            continue
        report = public_report(path)
        devices = 0 if report.idle is None else len(report.idle.by_device)
        for step in report.steps if devices else ():
            parts = (step.computing_ns, step.communication_exposed_ns, step.copying_ns, step.device_idle_ns)
            assert sum(part for part in parts if part is not None) == step.length_ns * devices, path


def test_exposed_communication_is_what_others_count_on_the_same_traces(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """DLRM, 8 ranks, in percent of the step, by a public derivation of its own."""
    shares = []
    for path in sorted((traces / "dlrm_v100_8rank").glob("*.json.gz")):
        (step,) = public_report(path).steps
        assert step.communication_exposed_ns is not None
        shares.append(round(100 * step.communication_exposed_ns / step.length_ns, 1))
    assert len(shares) == 8
    assert 10 < min(shares) < max(shares) < 60
