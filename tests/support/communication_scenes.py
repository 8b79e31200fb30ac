"""Steps in which a device communicates."""

from __future__ import annotations

from trace_builder import TraceBuilder

NAME = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"


def exchanging(
    exposed: float, *, each: int = 1, elements: int | None = None, steps: int = 2, group: str = "0"
) -> TraceBuilder:
    """Steps of 10,000 us: computing, then `each` collectives that together are exposed for so long."""
    built = TraceBuilder()
    for number in range(steps):
        start = number * 10_000.0
        built.step(number, start, start + 10_000)
        built.launch(start + 1, start + 2, runs=(start + 5, start + 5_000))
        length = exposed / each
        for index in range(each):
            at = start + 10 + 4 * index
            built.op("record_param_comms", at, at + 3)
            if elements is not None:
                said = {"In msg nelems": elements, "Out msg nelems": elements, "dtype": "Float"}
                said |= {"Collective name": "allreduce", "Process Group Name": group, "Group size": 8}
                built.events[-1]["args"].update(said)
            begin = start + 5_000 + index * length
            built.launch(at + 1, at + 2, runs=(begin, begin + length), name=NAME, stream=20)
    return built
