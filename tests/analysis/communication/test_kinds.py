"""Kinds of collectives by their names, sizes of types, factors of bus bandwidth."""

from __future__ import annotations

import pytest

from tbprof.analysis.collectives import bus_factor, kind_of
from tbprof.trace.columns.arrays import dtype_name, item_bytes

KINDS = {
    "allreduce": "all_reduce",
    "allreduce_coalesced": "all_reduce",
    "_allgather_base": "all_gather",
    "all_gather_into_tensor_coalesced": "all_gather",
    "_reduce_scatter_base": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "broadcast": "broadcast",
    "_reduce_oop": "reduce",
    "all_to_allv": "all_to_all",
    "nccl:all_to_all": "all_to_all",
    "nccl:send 0->1": "send",
    "recv": "recv",
    "barrier": "barrier",
    "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)": "send_recv",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL": "reduce_scatter",
    "void deep_ep::internode::combine<__nv_bfloat16>": "all_to_all",
    "Memcpy PtoP (Device -> Device)": "copy",
    "ncclDevKernel_Generic_4": "unknown",
}


@pytest.mark.parametrize("name", KINDS)
def test_a_name_tells_the_kind(name: str) -> None:
    assert kind_of(name) == KINDS[name]


@pytest.mark.parametrize(
    ("recorded", "name", "size"),
    [
        ("Float", "float32", 4),
        ("c10::BFloat16", "bfloat16", 2),
        ("long int", "int64", 8),
        ("Odd", "Odd", None),
    ],
)
def test_a_type_is_called_as_torch_calls_it(recorded: str, name: str, size: int | None) -> None:
    assert (dtype_name(recorded), item_bytes(recorded)) == (name, size)


@pytest.mark.parametrize(
    ("kind", "ranks", "factor"),
    [
        ("all_reduce", 8, 1.75),
        ("all_gather", 8, 0.875),
        ("reduce_scatter", 2, 0.5),
        ("broadcast", None, 1.0),
        ("all_reduce", None, None),
        ("unknown", 8, None),
    ],
)
def test_the_factor_of_bus_bandwidth(kind: str, ranks: int | None, factor: float | None) -> None:
    assert bus_factor(kind, ranks) == factor
