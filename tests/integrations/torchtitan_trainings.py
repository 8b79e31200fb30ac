"""torchtitan's loop around the profiler of its configuration."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from recordings import tell

import torch
from torchtitan.tools.profiler import Profiler

from tbprof.integrations.torchtitan import TbprofProfiler

FOLDER = Path(sys.argv[1])


def train(config: Profiler.Config, folder: str, first: int, steps: int) -> list[list[int]]:
    """As torchtitan's Trainer drives a profiler, which it tells the steps of the checkpoint."""
    weights = torch.ones(4, requires_grad=True)
    optimizer = torch.optim.SGD([weights], lr=0.1)
    with config.build(global_step=first, base_folder=str(FOLDER / folder)) as profiler:
        for _ in range(steps):
            weights.sum().backward()
            optimizer.step()
            profiler.step()
    published = sorted((FOLDER / folder / "tbprof").glob("*.trace.json.gz"))
    facts = [json.loads(gzip.decompress(path.read_bytes()))["tbprof"] for path in published]
    return [[each["first_step"], each["recorded_steps"]] for each in facts]


tell("fresh", windows=train(TbprofProfiler.Config(), "fresh", 0, 30))
tell("resumed", windows=train(TbprofProfiler.Config(), "resumed", 100, 30))

# Whose traces are named by ranks.
torch.distributed.init_process_group("gloo", init_method=f"file://{FOLDER}/group", rank=0, world_size=1)
OWN = {"enable_profiling": True, "profile_freq": 10, "profiler_active": 2, "profiler_warmup": 2}
windows = train(TbprofProfiler.Config(**OWN), "own", 0, 30)
theirs = [str(path.name) for path in sorted((FOLDER / "own" / "profiling").rglob("*trace.json*"))]
tell("another profiler", windows=windows, result=len(theirs))
