"""A training with runs of the real W&B and MLflow under way, on this machine alone."""

from __future__ import annotations

import importlib.util
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("wandb", "mlflow")),
        reason="install .[trackers] to run it",
    ),
]

NUM_STEPS = 40
ALONE = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
TRAINING = """
import sys
import mlflow, torch, wandb
from tbprof import TrainerHook

mlflow.set_tracking_uri("file:" + sys.argv[1] + "/mlruns")
experiment = mlflow.create_experiment("e", artifact_location="file:" + sys.argv[1] + "/artifacts")
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
wandb.init(project="p", dir=sys.argv[1])
with mlflow.start_run(experiment_id=experiment) as run, TrainerHook(sys.argv[1] + "/logs/run") as hook:
    for step in range(40):
        loss = model(torch.randn(32, 64)).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        wandb.log({"loss": loss.item()})
        hook.step()
    hook.close(wait_s=100)
found = mlflow.MlflowClient().get_run(run.info.run_id).data
print(sorted(found.metrics), found.tags["tbprof.verdict"])
"""

OF_LOGGERS = """
import sys
from tbprof.demo.torchvision_import import import_torchvision
import_torchvision()
import lightning, torch
from lightning.pytorch.loggers import MLFlowLogger, WandbLogger
from mlflow import MlflowClient
from torch.utils.data import DataLoader, TensorDataset
from tbprof import TrainerHook
from tbprof.integrations.lightning import TbprofCallback

class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def training_step(self, batch, _):
        loss = self.layer(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

folder, devices = sys.argv[1], int(sys.argv[2])
store, artifacts = "file:" + folder + "/mlruns", "file:" + folder + "/artifacts"
loggers = [
    MLFlowLogger("e", tracking_uri=store, artifact_location=artifacts),
    WandbLogger(project="p", save_dir=folder, offline=True),
]
trainer = lightning.Trainer(
    accelerator="cpu", devices=devices, strategy="ddp" if devices > 1 else "auto", max_steps=40,
    logger=loggers, log_every_n_steps=1, default_root_dir=folder, enable_checkpointing=False,
    enable_progress_bar=False, callbacks=[TbprofCallback(hook := TrainerHook(folder + "/logs/run"))],
)
trainer.fit(Model(), DataLoader(TensorDataset(torch.randn(2560, 64)), batch_size=32))
hook.close(wait_s=100)
if trainer.is_global_zero:
    found = MlflowClient(store).get_run(loggers[0].run_id).data
    print(sorted(set(found.metrics) - {"loss", "epoch"}), found.tags["tbprof.verdict"])
"""
RANKS = """
import sys
import mlflow, torch, wandb
import torch.distributed as dist
from tbprof import TrainerHook

dist.init_process_group("gloo")
rank = dist.get_rank()
mlflow.set_tracking_uri("file:" + sys.argv[1] + "/mlruns%d" % rank)
experiment = mlflow.create_experiment("e", artifact_location="file:" + sys.argv[1] + "/artifacts%d" % rank)
has_run = rank == 0 or sys.argv[2] == "each"
if has_run:
    mlflow.start_run(experiment_id=experiment)
    wandb.init(project="p", dir=sys.argv[1], name="rank%d" % rank)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with TrainerHook(sys.argv[1] + "/logs/run") as hook:
    for step in range(40):
        loss = model(torch.randn(32, 64)).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        hook.step()
    hook.close(wait_s=100)
if has_run:
    found = mlflow.MlflowClient().get_run(mlflow.active_run().info.run_id).data
    print("rank", rank, len(found.metrics), found.tags["tbprof.window"].rpartition("/")[2], flush=True)
dist.barrier()
"""


@pytest.mark.parametrize("devices", [1, 2])
def test_runs_of_lightning_s_loggers_are_told(tmp_path: Path, devices: int) -> None:
    program = tmp_path / "training.py"
    program.write_text(OF_LOGGERS, encoding="utf-8")
    said = output_of([str(program), str(tmp_path), str(devices)])
    assert said.count("['tbprof/profiled_step_time_ms', 'tbprof/step_time_ms'] window 0: ") == 1
    assert len([*(tmp_path / "logs" / "run").glob("*.trace.json.gz")]) == devices
    # The page of rank 0, and of no other rank.
    assert len([*(tmp_path / "artifacts").rglob("*.html")]) == 1
    [file] = tmp_path.rglob("*.wandb")
    rows, pages = kept_by_wandb(file)
    assert [row["tbprof/step"] for row in rows if "tbprof/profiled_step_time_ms" in row] == ["13"]
    assert len(pages) == 1


@pytest.mark.parametrize(("who", "ranks"), [("the first", (0,)), ("each", (0, 1))])
def test_a_rank_is_told_of_to_its_own_run_alone(tmp_path: Path, who: str, ranks: tuple[int, ...]) -> None:
    program = tmp_path / "training.py"
    program.write_text(RANKS, encoding="utf-8")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    said = output_of([*launcher, str(program), str(tmp_path), who])
    told = sorted(line.split() for line in said.splitlines() if line.startswith("rank "))
    assert [(int(rank), int(figures)) for _, rank, figures, _ in told] == [(rank, 2) for rank in ranks]
    assert [f"rank{rank}" in window for rank, (*_, window) in zip(ranks, told, strict=True)] == [True] * len(
        ranks
    )
    pages = [len([*(tmp_path / f"artifacts{rank}").rglob("*.html")]) for rank in (0, 1)]
    assert pages == [int(rank in ranks) for rank in (0, 1)]
    kept = [kept_by_wandb(file) for file in tmp_path.rglob("*.wandb")]
    assert len(kept) == len(ranks)
    assert [sum("tbprof/step" in row for row in rows) for rows, _ in kept] == [1] * len(ranks)
    assert sorted(re.findall(r"rank\d", page)[0] for _, pages in kept for page in pages) == [
        f"rank{rank}" for rank in ranks
    ]


def output_of(arguments: list[str]) -> str:
    return subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **ALONE}, capture_output=True, text=True, check=True
    ).stdout


def test_both_get_figures_verdict_and_page_and_the_training_keeps_its_steps(tmp_path: Path) -> None:
    said = output_of(["-c", TRAINING, str(tmp_path)])
    assert "['tbprof/profiled_step_time_ms', 'tbprof/step_time_ms'] window 0: " in said
    [page] = (tmp_path / "artifacts").rglob("*.html")
    assert "tbprof" in page.read_text(encoding="utf-8")[:2000]
    [file] = tmp_path.rglob("*.wandb")
    rows, pages = kept_by_wandb(file)
    assert [row["_step"] for row in rows if "loss" in row] == [str(step) for step in range(NUM_STEPS)]
    assert [row["tbprof/step"] for row in rows if "tbprof/profiled_step_time_ms" in row] == ["13"]
    assert pages == [page.name]


def kept_by_wandb(file: Path) -> tuple[list[dict[str, str]], list[str]]:
    """Its rows, and the files of its artifacts."""
    from wandb.proto import wandb_internal_pb2

    rows, pages = [], []
    for data in records(file.read_bytes()):
        record = wandb_internal_pb2.Record.FromString(data)
        items = record.history.item
        if items:
            rows.append({item.key or "/".join(item.nested_key): item.value_json for item in items})
        pages += [entry.path for entry in record.artifact.manifest.contents]
    return rows, pages


def records(data: bytes) -> Iterator[bytes]:
    """Of W&B's file, in the form of LevelDB's log: blocks of 32 KiB, of checksum, length, kind and data."""
    at, parts = 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        # 1 is a whole record, 4 the last part of one.
        if kind in (1, 4):
            yield parts
            parts = b""
