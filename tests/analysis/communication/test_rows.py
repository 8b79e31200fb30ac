"""Which device rows are communication."""

from __future__ import annotations

import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.collectives import NAMES, is_communication

KERNELS = {
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)": True,
    "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)": True,
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)": True,
    "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)": True,
    "void one_shot_all_reduce_kernel<c10::BFloat16>": True,
    "void multimem_one_shot_all_reduce_kernel<c10::BFloat16>": True,
    "void quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot>": True,
    "void deep_ep::intranode::dispatch<8, 768>(int4*)": True,
    "void dpsk::ep::internode::cached_notify<false>(int, int)": True,
    "void step::internode::cached_notify<false>(int, int)": False,
    "nvshmemi_transfer_rma": True,
    "oneccl_allreduce_large": True,
    "rccl_reduce": True,
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<9>": True,
    "void at::native::reduce_kernel<512, 1>": False,
    "ampere_sgemm_128x64_nn": False,
    "void at::native::vectorized_elementwise_kernel<4>": False,
    "void at::native::vectorized_gather_kernel<16, long>": False,
}


@pytest.mark.parametrize("name", KERNELS)
def test_communication_is_told_by_the_name_of_its_kernel(name: str) -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3), name=name)
    facts = built.facts()
    assert is_communication(facts.trace, facts.work).tolist() == [KERNELS[name]]


def test_a_copy_between_devices_is_communication_and_one_within_a_device_is_not() -> None:
    built = TraceBuilder()
    built.copy("PtoP", "", 0, 1, runs=(2, 3))
    built.copy("DtoD", "", 4, 5, runs=(6, 7))
    facts = built.facts()
    assert is_communication(facts.trace, facts.work).tolist() == [True, False]


def test_a_kernel_of_any_name_is_communication_if_a_collective_launched_it() -> None:
    built = TraceBuilder()
    built.op("record_param_comms", 0, 10)
    built.launch(5, 6, runs=(20, 30), name="some_new_kernel")
    built.launch(15, 16, runs=(30, 40), name="some_new_kernel")
    facts = built.facts()
    assert is_communication(facts.trace, facts.work).tolist() == [True, False]


def test_each_name_says_where_it_was_seen() -> None:
    assert all(name.seen for name in NAMES)
    assert len({name.pattern for name in NAMES}) == len(NAMES)
