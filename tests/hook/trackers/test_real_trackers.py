"""A training with runs of the real W&B, MLflow and Trackio under way, on this machine alone."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("wandb", "mlflow", "trackio")),
        reason="install .[trackers] to run it",
    ),
]

NUM_STEPS = 40
NOT_TO_COMPARE = "^tbprof/|runtime|timestamp|per_second"
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

WINDOWS = [26, 49, 72, 95]
OF_WAYS = """
import sys, time
from pathlib import Path
import torch, wandb
from tbprof import Schedule, TrainerHook

def each_step(run, step, loss):
    wandb.log({"loss": loss})

def by_epoch(run, step, loss):
    if step % 100 == 99:
        wandb.log({"loss": loss}, step=step // 100)
        run.log({"val": loss / 2}, step=step // 100)

def in_parts(run, step, loss):
    run.log({"loss": loss}, commit=False)
    if step % 7 == 0:
        run.log(data={"val": loss / 2}, commit=step % 2 == 0)

def with_own_axis(run, step, loss):
    if step == 0:
        run.define_metric("epoch")
        run.define_metric("val")
        run.define_metric("*", step_metric="epoch")
        run.config.update({"lr": 0.1})
        run.log({"epoch": 0, "loss": loss})
    run.log({"val": loss}, step=2 * step + 3)

def never_again(run, step, loss):
    if step < 20:
        wandb.log({"loss": loss})

for log in (each_step, by_epoch, in_parts, with_own_axis, never_again):
    torch.manual_seed(0)
    run = wandb.init(project="p", dir=sys.argv[1], id=log.__name__)
    model = torch.nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    logdir = Path(sys.argv[1], "logs", log.__name__)
    hook = None
    if sys.argv[2] == "hook":
        hook = TrainerHook(logdir, schedule=Schedule(skip_first=5, wait=20, warmup=1, active=2, repeat=4))
    for step in range(400):
        loss = model(torch.randn(32, 64)).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log(run, step, loss.item())
        print(log.__name__, "step", run.step)
        if hook:
            hook.step()
            time.sleep(0.01)
        while hook and step == 250 and len([*logdir.glob("*.trace.json.gz")]) < 4:
            # Two are published at a time, and the others when it is their turn.
            time.sleep(0.1)
            hook.step()
    if hook:
        hook.close(wait_s=100)
    print(log.__name__, "ends", run.step, wandb.log == run.log)
    run.finish()
"""

OF_LOGGERS = """
import sys
from tbprof.demo.torchvision_import import import_torchvision
import_torchvision()
import lightning, torch
from lightning.pytorch.loggers import CSVLogger, MLFlowLogger, TensorBoardLogger, WandbLogger
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

folder, devices, has_hook = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "hook"
lightning.seed_everything(1)
loggers = [
    MLFlowLogger("e", tracking_uri="file:" + folder + "/mlruns", artifact_location=folder + "/files"),
    WandbLogger(project="p", save_dir=folder, offline=True),
    CSVLogger(folder + "/csv"),
    TensorBoardLogger(folder + "/tb"),
]
callbacks = []
if has_hook:
    callbacks = [TbprofCallback(hook := TrainerHook(folder + "/logs/run"))]
trainer = lightning.Trainer(
    accelerator="cpu", devices=devices, strategy="ddp" if devices > 1 else "auto", max_steps=40,
    logger=loggers, log_every_n_steps=1, default_root_dir=folder, enable_checkpointing=False,
    enable_progress_bar=False, callbacks=callbacks,
)
trainer.fit(Model(), DataLoader(TensorDataset(torch.randn(2560, 64)), batch_size=32))
if has_hook:
    hook.close(wait_s=100)
"""
OF_TRANSFORMERS = """
import sys
from tbprof.demo.torchvision_import import import_torchvision
import_torchvision()
import mlflow, torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from tbprof import TrainerHook
from tbprof.integrations.transformers import TbprofCallback

folder, has_hook = sys.argv[1], sys.argv[3] == "hook"
mlflow.set_tracking_uri("file:" + folder + "/mlruns")
config = BertConfig(
    hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=50,
    max_position_embeddings=16,
)
torch.manual_seed(0)
data = [{"input_ids": torch.arange(8) + number % 5, "labels": number % 2} for number in range(160)]
arguments = TrainingArguments(
    output_dir=folder, max_steps=40, per_device_train_batch_size=4, logging_steps=1, use_cpu=True,
    report_to=["wandb", "mlflow"], disable_tqdm=True, save_strategy="no", seed=1, run_name="r",
)
callbacks = []
if has_hook:
    callbacks = [TbprofCallback(hook := TrainerHook(folder + "/logs/run"))]
Trainer(BertForSequenceClassification(config), arguments, train_dataset=data, callbacks=callbacks).train()
if has_hook:
    hook.close(wait_s=100)
"""
OF_ACCELERATE = """
import os, sys
from tbprof.demo.torchvision_import import import_torchvision
import_torchvision()
import torch
from accelerate import Accelerator
from tbprof import TrainerHook

folder, has_hook = sys.argv[1], sys.argv[3] == "hook"
torch.manual_seed(0)
os.environ["MLFLOW_TRACKING_URI"] = "file:" + folder + "/mlruns"
accelerator = Accelerator(cpu=True, log_with=["wandb", "mlflow"], project_dir=folder)
accelerator.init_trackers("e", init_kwargs={"wandb": {"dir": folder}})
model = torch.nn.Linear(64, 64)
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
hook = TrainerHook(folder + "/logs/run") if has_hook else None
for step in range(40):
    loss = model(torch.randn(32, 64)).pow(2).mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    accelerator.log({"loss": loss.item()}, step=2 * step)
    if hook:
        hook.step()
if hook:
    hook.close(wait_s=100)
accelerator.end_training()
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

OF_TRACKIO = """
import sys
import torch, trackio
from tbprof import TrainerHook

torch.manual_seed(0)
run = trackio.init(project="p", auto_log_gpu=False, auto_log_cpu=False)
hook = TrainerHook(sys.argv[1] + "/logs") if sys.argv[2] == "hook" else None
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    loss = model(torch.randn(32, 64)).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    trackio.log({"loss": loss.item()})
    if hook:
        hook.step()
if hook:
    hook.close(wait_s=100)
trackio.finish()
"""


def test_trackio_keeps_the_rows_of_the_training_and_gets_windows_beside_them(tmp_path: Path) -> None:
    program, rows = tmp_path / "training.py", dict[str, list[tuple[int, str]]]()
    program.write_text(OF_TRACKIO, encoding="utf-8")
    for way in ("alone", "hook"):
        folder = tmp_path / way
        folder.mkdir()
        output_of([str(program), str(folder), way], folder=folder, TRACKIO_DIR=str(folder / "trackio"))
        (file,) = (folder / "trackio").glob("*.db")
        with contextlib.closing(sqlite3.connect(file)) as database:
            rows[way] = database.execute("select step, metrics from metrics order by step").fetchall()
            windows = [json.loads(row[0]) for row in database.execute("select metrics from system_metrics")]
    assert rows["hook"] == rows["alone"]
    assert [window["tbprof/step"] for window in windows] == [13]
    assert windows[0]["tbprof/verdict"].startswith("window 0: ")
    assert len(list((tmp_path / "hook" / "trackio" / "artifacts").rglob("blobs/**/*"))) > 0


@pytest.mark.parametrize(
    ("training", "devices"),
    [(OF_LOGGERS, 1), (OF_LOGGERS, 2), (OF_TRANSFORMERS, 1), (OF_ACCELERATE, 1)],
    ids=["lightning", "lightning-ranks", "transformers", "accelerate"],
)
def test_the_loggers_of_frameworks_keep_what_they_have_without_the_hook(
    tmp_path: Path, training: str, devices: int
) -> None:
    program = tmp_path / "training.py"
    program.write_text(training, encoding="utf-8")
    for way in ("alone", "hook"):
        (tmp_path / way).mkdir()
        output_of([str(program), str(tmp_path / way), str(devices), way], folder=tmp_path / way)
    (alone, hook) = (next((tmp_path / way).rglob("*.wandb")) for way in ("alone", "hook"))
    assert own_values(kept_by_wandb(hook)[0]) == own_values(kept_by_wandb(alone)[0])
    assert own_values([summary_in(hook)]) == own_values([summary_in(alone)])
    assert json.loads(summary_in(hook)["tbprof/latest"])["step"] == 13
    # The page of rank 0, and of no other rank.
    assert len(kept_by_wandb(hook)[1]) == 1
    assert len([*(tmp_path / "hook").rglob("tbprof/*.html")]) == 1
    assert metrics_in(tmp_path / "hook") == metrics_in(tmp_path / "alone")
    assert points_in(tmp_path / "hook") == points_in(tmp_path / "alone")
    assert len([*(tmp_path / "hook" / "logs" / "run").glob("*.trace.json.gz")]) == devices


def metrics_in(folder: Path) -> dict[str, list[list[str]]]:
    """The training's own values and steps in MLflow's store, without their times."""
    files = [file for file in folder.rglob("mlruns/*/*/metrics/**/*") if file.is_file()]
    own = {
        file.name: file for file in files if not re.search(NOT_TO_COMPARE, f"{file.parent.name}/{file.name}")
    }
    assert len(own) > 0
    return {name: [line.split()[1:] for line in own[name].read_text().splitlines()] for name in sorted(own)}


def points_in(folder: Path) -> list[object]:
    """What Lightning's loggers wrote into files of their own."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    tables = [file.read_text() for file in sorted((folder / "csv").rglob("metrics.csv"))]
    events = sorted((folder / "tb").rglob("events.out.tfevents.*"))
    return tables + [
        (event.step, event.summary.SerializeToString())
        for file in events
        for event in EventFileLoader(str(file)).Load()
    ]


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
    files = [*tmp_path.rglob("*.wandb")]
    kept = [kept_by_wandb(file) for file in files]
    assert len(kept) == len(ranks)
    assert [rows for rows, _ in kept] == [[]] * len(ranks)
    assert [json.loads(summary_in(file)["tbprof/latest"])["step"] for file in files] == [13] * len(ranks)
    assert sorted(re.findall(r"rank\d", page)[0] for _, pages in kept for page in pages) == [
        f"rank{rank}" for rank in ranks
    ]


def test_all_points_of_the_training_are_what_they_are_without_the_hook(tmp_path: Path) -> None:
    said = [output_of(["-c", OF_WAYS, str(tmp_path / way), way]) for way in ("alone", "hook")]
    assert said[0] == said[1]
    for file in sorted((tmp_path / "hook").rglob("*.wandb")):
        (alone,) = (tmp_path / "alone").rglob(file.name)
        way = file.stem.removeprefix("run-")
        rows, _ = kept_by_wandb(file)
        assert own_values(rows) == own_values(kept_by_wandb(alone)[0]), way
        assert own_values([summary_in(file)]) == own_values([summary_in(alone)]), way
        told = [int(row["tbprof/step"]) for row in rows if "tbprof/step" in row]
        # Each window has a row to itself, as long as the training logs any, in the order of their publishing.
        assert len(set(told)) == len(told)
        assert len(told) in {"by_epoch": (1, 2, 3, 4), "never_again": (0,)}.get(way, (4,)), way
        assert json.loads(summary_in(file)["tbprof/latest"])["step"] in WINDOWS


def own_values(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """What the training logged, by rows, but for times."""
    return [
        {name: value for name, value in row.items() if not re.search(NOT_TO_COMPARE, name)} for row in rows
    ]


def output_of(arguments: list[str], folder: Path | None = None, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **ALONE, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_both_get_figures_verdict_and_page_and_the_training_keeps_its_steps(tmp_path: Path) -> None:
    said = output_of(["-c", TRAINING, str(tmp_path)])
    assert "['tbprof/profiled_step_time_ms', 'tbprof/step_time_ms'] window 0: " in said
    [page] = (tmp_path / "artifacts").rglob("*.html")
    assert "tbprof" in page.read_text(encoding="utf-8")[:2000]
    [file] = tmp_path.rglob("*.wandb")
    rows, pages = kept_by_wandb(file)
    assert [row["_step"] for row in rows if "loss" in row] == [str(step) for step in range(NUM_STEPS)]
    # It has logged its last row before the window is published.
    assert not any(name.startswith("tbprof/") for row in rows for name in row)
    assert json.loads(summary_in(file)["tbprof/latest"])["step"] == 13
    assert pages == [page.name]


def summary_in(file: Path) -> dict[str, str]:
    """As it is at the end."""
    from wandb.proto import wandb_internal_pb2

    found: dict[str, str] = {}
    for data in records(file.read_bytes()):
        for item in wandb_internal_pb2.Record.FromString(data).summary.update:
            found[item.key or "/".join(item.nested_key)] = item.value_json
    return found


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
