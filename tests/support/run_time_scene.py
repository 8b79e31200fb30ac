"""What the hook leaves of the whole time of runs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from tbprof.model.run_time import PartTime, Pause, RunTime

HOUR = 3600 * 1_000_000_000
BEGAN_NS = 1752210000 * 1_000_000_000

FIRST = RunTime(
    schema=1,
    worker="node1_7_rank0",
    rank=0,
    began_ns=BEGAN_NS,
    wall_ns=4 * HOUR,
    end="error",
    first_step=0,
    steps=3000,
    step_ns=HOUR // 1000,
    has_gpu=True,
    parts=(
        PartTime("steps", 3 * HOUR, 3000),
        PartTime("checkpoint", HOUR // 2, 5),
        PartTime("evaluation", HOUR // 2, 1),
    ),
    lengths=((1 << 42, 3000),),
    pauses=(Pause("evaluation", 2 * HOUR, HOUR // 2, 1500, "train.py:212 evaluate"),),
)
"""It broke off after 3,000 steps of 3.6 s."""

SECOND = dataclasses.replace(
    FIRST,
    worker="node1_17_rank0",
    began_ns=BEGAN_NS + 5 * HOUR,
    wall_ns=5 * HOUR,
    end="closed",
    first_step=2000,
    steps=4000,
    parts=(PartTime("steps", 4 * HOUR, 4000), PartTime("start", HOUR, 1)),
    pauses=(),
)
"""It began an hour later, from a checkpoint of 1,000 steps before."""


def put_run_times(run: Path, *times: RunTime) -> None:
    run.mkdir(parents=True, exist_ok=True)
    for one in times:
        path = run / f"{one.worker}.{one.began_ns}.run_time.json"
        path.write_text(json.dumps(dataclasses.asdict(one)))
