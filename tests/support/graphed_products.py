"""A CUDA graph of float32 products that is replayed each step, with what torch writes of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trace_builder import TraceBuilder

SGEMM = "ampere_sgemm_128x64_tn"
SOFTMAX = "void at::native::softmax_warp_forward<float>"
GRAPH = 5
"""Number of the graph, as CUDA gives it when it is made ready to run."""
NODES = (SGEMM, SOFTMAX, SGEMM, SGEMM)
KERNEL_US = 200.0
PERIOD_US = 640.0


def number_of(node: int) -> int:
    """As CUPTI counts: the graph above, the node below."""
    return GRAPH << 32 | node


def graphed_products(*, steps: int = 4, whole_numbers: bool = True) -> TraceBuilder:
    """Steps of one launch, which the host waits for; the second node runs on stream 9, beside the third.

    With `whole_numbers` nodes are numbered as Kineto has them, else as other recorders do.
    """
    built = TraceBuilder()
    built.device_name = "NVIDIA A100-SXM4-80GB"
    for step in range(steps):
        at = PERIOD_US * step
        built.step(step, at, at + PERIOD_US)
        correlation = built.call("cudaGraphLaunch", at + 5, at + 25)
        for node, begins in enumerate((30.0, 230.0, 230.0, 430.0)):
            built.kernel(
                *(at + begins, at + begins + KERNEL_US),
                name=NODES[node],
                stream=9 if node == 1 else 7,
                correlation=correlation,
                **{"graph id": GRAPH, "graph node id": number_of(node) if whole_numbers else node},
            )
        built.synchronize("cudaStreamSynchronize", at + 28, at + 632)
    return built


def annotated(built: TraceBuilder, fields: Mapping[int, Mapping[str, Any]]) -> TraceBuilder:
    """With the fields of each node as torch's export writes them since 2.14: as texts, after all others."""
    for event in built.events:
        args = event.get("args", {})
        given = fields.get(args.get("graph node id", -1) & 0xFFFFFFFF, {}) if "graph node id" in args else {}
        args.update({key: str(value) for key, value in given.items()})
    return built
