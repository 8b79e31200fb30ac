"""What is predicted from a recording without a GPU, beside what preflight predicts of the same program.

The two know different things: preflight lets the program believe that it has a GPU, the hook sees
what it does without one. On programs that do the same with and without, they must name the same lines.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

PLAIN = """
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels = torch.randn(256, 16), torch.randint(0, 4, (256,))
weights = torch.ones(4).to(device)
running = torch.zeros(1, device=device)
history = []
for step in range(30):
    rows = torch.randint(0, 256, (32,))
    x, y = inputs[rows].to(device), labels[rows].to(device)
    mask = torch.ones(32, 16).to(device)
    kept = weights.cpu()
    out = model(x * mask)
    loss = nn.functional.cross_entropy(out, y, weight=weights)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    running += loss.detach()
    if running > 1e9:
        break
    guess = out.argmax(1)
    history.append(guess.cpu().numpy())
    hits = guess[guess == y]
    some = out[[0, 2, 4]]
    of_host = torch.arange(4).sum().item()
    values = torch.tensor([1.0, 2.0], device=device)
    print(step, loss.item(), of_host)
"""

TRANSFORMS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
from torchvision import transforms


class Digits(Dataset):
    def __init__(self):
        self.transform = transforms.Compose(
            [transforms.ConvertImageDtype(torch.float32), transforms.Normalize((0.13,), (0.31,))]
        )
        self.images = torch.randint(0, 255, (512, 1, 28, 28), dtype=torch.uint8)
        self.labels = torch.randint(0, 10, (512,))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]), int(self.labels[index])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).to(device)
optimizer = torch.optim.Adadelta(model.parameters())
for data, target in DataLoader(Digits(), batch_size=16, shuffle=True):
    data, target = data.to(device), target.to(device)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(data), target)
    loss.backward()
    optimizer.step()
    print(loss.item())
"""

FRAMEWORKS = Path(__file__).parents[1] / "frameworks"
TRAINER = (FRAMEWORKS / "transformers_program.py").read_text(encoding="utf-8")
TRAINER = TRAINER.replace("    use_cpu=True,\n", "")
LIGHTNING = (FRAMEWORKS / "lightning_program.py").read_text(encoding="utf-8").replace('"cpu"', '"auto"')

Found = tuple[str, int, str, int, str]
"""File, line, rule, how often in a step, and fingerprint."""

UNEDITED = Path(__file__).with_name("unedited_programs")
PROGRAMS = {path.stem.removeprefix("with_"): path for path in sorted(UNEDITED.glob("with_*.py"))}
"""By the package that they need; beside a CPU build of torch torchvision does not import by itself."""

ONLY_WITHOUT_A_GPU = {
    # Keras reads a tensor of the device by another line than one of the CPU.
    "keras": {("keras/src/backend/torch/core.py", 276, "SYN04", 2)},
}
ONLY_WITH_ONE = {"keras": {("keras/src/backend/torch/core.py", 269, "SYN04", 2)}}


def run(folder: Path, module: str, *arguments: str) -> str:
    environment = {**os.environ, "TBPROF_SPOOL": str(folder / "spool"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", module, *arguments]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=500
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def rows(answer: str) -> set[Found]:
    shown: Any = json.loads(answer)
    found = [row["found"] for row in shown["rows"]]
    return {(row["file"], row["line"], row["rule"], row["per_step"], row["fingerprint"]) for row in found}


@pytest.mark.parametrize(
    ("name", "program", "needs"),
    [
        pytest.param("plain", PLAIN, "torch", id="plain"),
        *(
            pytest.param(name, program, needs, marks=pytest.mark.exhaustive, id=name)
            for name, program, needs in (
                ("transforms", TRANSFORMS, "torchvision"),
                ("trainer", TRAINER, "transformers"),
                ("lightning", LIGHTNING, "lightning"),
            )
        ),
        *(
            pytest.param(name, path.read_text(encoding="utf-8"), name, marks=pytest.mark.exhaustive, id=name)
            for name, path in PROGRAMS.items()
        ),
    ],
)
def test_a_recording_and_preflight_name_the_same_lines(
    tmp_path: Path, name: str, program: str, needs: str
) -> None:
    if importlib.util.find_spec("lightning" if needs == "fabric" else needs) is None:
        pytest.skip(f"{needs} is not installed")
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    asked = ("check", "--format", "json")
    expected = rows(run(tmp_path, "tbprof", *asked, "train.py", "--", str(tmp_path / "out")))
    window = ("--skip-first", "3", "--active", "2", "--logdir", "logs")
    run(tmp_path, "tbprof", "run", *window, "train.py", str(tmp_path / "out"))
    recorded = rows(run(tmp_path, "tbprof", *asked, "logs"))
    assert {row[:4] for row in expected - recorded} == ONLY_WITH_ONE.get(name, set())
    assert {row[:4] for row in recorded - expected} == ONLY_WITHOUT_A_GPU.get(name, set())
    assert len(expected) >= (9 if name == "plain" else 1)
