"""A training with runs of the real W&B and MLflow under way, on this machine alone."""

from __future__ import annotations

import importlib.util
import os
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


def test_both_get_figures_verdict_and_page_and_the_training_keeps_its_steps(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TRAINING, str(tmp_path)],
        env={
            **os.environ,
            "WANDB_MODE": "offline",
            "WANDB_SILENT": "true",
            "MLFLOW_ALLOW_FILE_STORE": "true",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "['tbprof/profiled_step_time_ms', 'tbprof/step_time_ms'] window 0: " in ended.stdout
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
