"""From which compiled region, and from which code of the model, kernels come."""

from __future__ import annotations

from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.figures.kernel_table import Origin, kernel_table
from tbprof.model import Source

FORWARD = Source("model.py", 12, "forward", exact=False, candidates=())


def origins_of(built: TraceBuilder) -> dict[str, Origin]:
    return {row.name: row.origin for row in kernel_table(facts_of(built)).rows}


def test_a_kernel_has_the_region_and_the_function_with_most_time() -> None:
    built = TraceBuilder()
    built.frame("model.py(12): forward", 0, 100)
    built.op("Torch-Compiled Region: 0/0", 10, 50)
    built.frame("/tmp/torchinductor_me/ab/cab.py(9): call", 20, 40)
    built.launch(22, 24, runs=(30, 60), name="triton_0")
    built.launch(60, 64, runs=(70, 75), name="triton_0")
    built.launch(66, 68, runs=(80, 85), name="gemm")
    assert origins_of(built) == {
        "triton_0": Origin("Torch-Compiled Region: 0/0", FORWARD, places=2),
        "gemm": Origin(None, FORWARD, places=1),
    }


def test_the_backward_pass_of_a_region_is_the_regions_and_its_functions() -> None:
    built = TraceBuilder()
    built.frame("model.py(12): forward", 0, 50)
    built.op("Torch-Compiled Region: 0/0", 5, 45)
    built.op("CompiledFunction", 10, 40)
    built.events[-1]["args"] |= {"Sequence number": 7, "Fwd thread id": 0}
    built.op("CompiledFunctionBackward", 100, 140, thread=9)
    built.events[-1]["args"] |= {"Sequence number": 7, "Fwd thread id": 1}
    built.launch(110, 112, runs=(120, 150), name="triton_1", thread=9)
    assert origins_of(built) == {"triton_1": Origin("Torch-Compiled Region: 0/0", FORWARD, places=1)}


def test_a_graph_is_named_behind_the_region_that_launches_it() -> None:
    built = TraceBuilder()
    built.op("Torch-Compiled Region: 1/0", 0, 50)
    built.graph_launch(10, 20, runs=[(30, 40), (41, 45)])
    (origin,) = origins_of(built).values()
    assert origin == Origin("Torch-Compiled Region: 1/0 > CUDA graph of 2 kernels", None, places=1)


def test_without_regions_and_stacks_nothing_is_named() -> None:
    built = TraceBuilder()
    built.launch(10, 12, runs=(20, 30), name="gemm")
    assert origins_of(built) == {"gemm": Origin(None, None, places=0)}
