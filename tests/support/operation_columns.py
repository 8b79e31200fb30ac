"""The columns of a small job: two stages, two replicas, two steps of two micro-batches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_LENGTHS = {
    "params-all-gather": 1,
    "forward-compute": 10,
    "backward-compute": 20,
    "gc": 0,
    "layernorm-grads-all-reduce": 1,
    "embedding-grads-all-reduce": 1,
    "grads-reduce-scatter": 2,
    "optimizer-clip-main-grad": 1,
    "optimizer": 3,
}


def operation_columns(slow_stage: int | None = None) -> dict[str, npt.NDArray[np.generic]]:
    """Each operation where its dependencies let it begin; the computing of a slow stage takes twice as long.

    Stage 1 does F0 B0 F1 B1, stage 0 F0 F1 B0 B1: one forward, one backward. Sends and receives take no time.
    """
    rows = [
        (replica, stage, replica * 2 + stage, step, *operation)
        for step in (3, 4)
        for replica in (0, 1)
        for stage in (0, 1)
        for operation in _step(stage, slow_stage)
    ]
    names = ("dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc", "gmc")
    columns = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    return {**columns, **{name: columns[name].astype(np.float32) for name in ("start_ts", "duration")}}


def _step(stage: int, slow_stage: int | None) -> list[tuple[str, float, float, int, int, int]]:
    pace = [2 if one == slow_stage else 1 for one in (0, 1)]
    forward, backward = ([length * each for each in pace] for length in (10, 20))
    first = [1, 1 + forward[0]]
    begins = {(0, "forward", 0): first[0], (1, "forward", 0): first[1]}
    begins[0, "forward", 1] = first[0] + forward[0]
    begins[1, "backward", 0] = first[1] + forward[1]
    begins[1, "forward", 1] = max(
        begins[1, "backward", 0] + backward[1], begins[0, "forward", 1] + forward[0]
    )
    begins[1, "backward", 1] = begins[1, "forward", 1] + forward[1]
    begins[0, "backward", 0] = max(
        begins[0, "forward", 1] + forward[0], begins[1, "backward", 0] + backward[1]
    )
    begins[0, "backward", 1] = max(
        begins[0, "backward", 0] + backward[0], begins[1, "backward", 1] + backward[1]
    )
    rows: list[tuple[str, float, float, int, int, int]] = [("params-all-gather", 0, 1, 0, 0, stage)]
    for (at, direction, number), begin in begins.items():
        length = (forward if direction == "forward" else backward)[at]
        if at == stage:
            rows.append((f"{direction}-compute", begin, length, number, 0, stage))
        is_sender = (at == 0) == (direction == "forward")
        if is_sender:
            way = "send" if at == stage else "recv"
            rows.append((f"{direction}-{way}", begin + length, 0, number, -1, -1))
    ends = [begins[at, "backward", 1] + backward[at] for at in (0, 1)]
    return rows + _tail(stage, ends)


def _tail(stage: int, ends: list[float]) -> list[tuple[str, float, float, int, int, int]]:
    """After the last backward: both stages exchange the embedding's gradients, then all clip."""
    reduced = max(ends) + 2
    begins = {
        "gc": ends[stage],
        "layernorm-grads-all-reduce": ends[stage],
        "embedding-grads-all-reduce": ends[stage] + 1,
        "grads-reduce-scatter": reduced,
        "optimizer-clip-main-grad": reduced + 2,
        "optimizer": reduced + 3,
    }
    return [
        (kind, begin, reduced - begin if kind == "embedding-grads-all-reduce" else _LENGTHS[kind], 0, -1, -1)
        for kind, begin in begins.items()
    ]
