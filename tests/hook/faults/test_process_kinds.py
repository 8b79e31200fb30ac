"""Trainings of several processes, however these are started: each computes what it does without the hook."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from remains import look_at
from script_runner import wait_for_children

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

WAYS = ("alone", "plain", "all")
"""Without the hook, with its defaults, and with all that it can record."""

TRAINING = """
import hashlib, os, random, sys
import torch

def hook_of(way, folder):
    if way == "alone":
        return None
    import tbprof
    schedule, named = tbprof.Schedule(skip_first=2, wait=6, warmup=1, active=2, repeat=2), ()
    if way == "all":
        named = ("memory", "record_inputs", "with_stack", "profile_memory")
    return tbprof.TrainerHook(folder + "/logs/run", schedule=schedule, **dict.fromkeys(named, True))

def train(rank, hook, wrap=lambda model: model):
    torch.manual_seed(rank)
    random.seed(rank)
    torch.set_num_threads(1)
    model = wrap(torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Dropout(0.1), torch.nn.Linear(32, 4)))
    optimizer = torch.optim.AdamW(model.parameters())
    seen = hashlib.sha256()
    for _ in range(30):
        loss = model(torch.randn(8, 16)).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        seen.update(loss.detach().numpy().tobytes())
        if hook is not None:
            hook.step()
    for value in model.parameters():
        value = value.to_local() if hasattr(value, "to_local") else value
        seen.update(value.detach().contiguous().numpy().tobytes())
    seen.update(torch.get_rng_state().numpy().tobytes())
    seen.update(repr(random.getstate()).encode())
    if hook is not None:
        hook.close(wait_s=200)
    print("result", rank, seen.hexdigest(), flush=True)
"""

RANKS = (
    TRAINING
    + """
import torch.distributed as distributed
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

way, folder, kind = sys.argv[1:]
distributed.init_process_group("gloo")
wraps = {"ddp": DistributedDataParallel, "fsdp": fully_shard}
train(distributed.get_rank(), hook_of(way, folder), wraps[kind])
distributed.barrier()
# A group of gloo's that is taken down while another rank still uses it can hang.
os._exit(0)
"""
)

CHILDREN = (
    TRAINING
    + """
import multiprocessing

if __name__ == "__main__":
    way, folder, method = sys.argv[1:]
    hook, started = hook_of(way, folder), multiprocessing.get_context(method)
    children = [started.Process(target=train, args=(rank, hook)) for rank in (0, 1)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    sys.exit(max(child.exitcode for child in children))
"""
)


def results(folder: Path, program: str, kind: str, way: str, *launcher: str) -> list[str]:
    """What each process of a training computed."""
    own = folder / way
    own.mkdir()
    script = own / "train.py"
    script.write_text(program, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, *launcher, str(script), way, str(own), kind],
        cwd=own,
        env={**os.environ, "TBPROF_SPOOL": str(own / "spool")},
        capture_output=True,
        text=True,
        check=True,
    )
    wait_for_children(own)
    assert "Profiling ends here" not in ended.stderr
    assert look_at(own).corrupt == []
    return sorted(re.findall(r"result .*", ended.stdout))


def windows(folder: Path) -> list[int]:
    """Those published in each way."""
    return [len([*(folder / way / "logs" / "run").glob("*.trace.json.gz")]) for way in WAYS]


@pytest.mark.parametrize(("kind", "ranks"), [("ddp", 2), ("fsdp", 2), ("ddp", 8)])
def test_ranks_compute_the_same(tmp_path: Path, kind: str, ranks: int) -> None:
    launcher = ("-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}")
    alone, plain, everything = (results(tmp_path, RANKS, kind, way, *launcher) for way in WAYS)
    assert len(alone) == ranks
    assert alone == plain == everything
    assert windows(tmp_path) == [0, 2 * ranks, 2 * ranks]


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_children_with_the_parent_s_hook_compute_the_same(tmp_path: Path, method: str) -> None:
    alone, plain, everything = (results(tmp_path, CHILDREN, method, way) for way in WAYS)
    assert len(alone) == 2
    assert alone == plain == everything
    assert windows(tmp_path) == [0, 4, 4]
