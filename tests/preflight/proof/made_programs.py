"""Makes training programs, and changes of them: right ones, wrong ones and harmless ones.

A program is a list of slots, each some lines of its text. A change replaces slots, or rewrites the whole
text. Each is made in several surroundings: other models, optimizers, sources of data, accumulation, scaling.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Slots = dict[str, str]

ORDER = (
    *("head", "data", "model", "optimizer", "setup", "loop", "upload", "prepare", "forward", "loss"),
    *("check", "zero", "backward", "clip", "step", "after", "log"),
)
INDENTED = ORDER[ORDER.index("upload") :]


@dataclass(frozen=True)
class Change:
    name: str
    before: Mapping[str, str]
    """Slots of the program before it, besides those of the surroundings."""
    after: Mapping[str, str]
    expected: tuple[str, ...]
    """The verdicts that are right."""
    surroundings: Mapping[str, str] = field(default_factory=dict)
    """Surroundings that it needs, by their kind."""
    is_right: bool = False


def source_of(slots: Mapping[str, str]) -> str:
    parts = []
    for name in ORDER:
        lines = slots.get(name, "").strip("\n")
        if lines:
            indent = "    " if name in INDENTED else ""
            parts.append("\n".join(f"{indent}{line}" if line else line for line in lines.split("\n")))
    return "\n".join(parts) + "\n"


HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
device = torch.device("cuda")
"""

MODELS = {
    "mlp": "model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)",
    "norm": (
        "model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), "
        "nn.Linear(16, 4)).to(device)"
    ),
    "conv": (
        "model = nn.Sequential(nn.Unflatten(1, (1, 8)), nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.Flatten(), "
        "nn.Linear(24, 4)).to(device)"
    ),
    "attention": """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.block(self.project(x.view(-1, 2, 4))).mean(1))


model = Model().to(device)
""",
}

OPTIMIZERS = {
    "sgd": "optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)",
    "adam": "optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)",
    "adamw": "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)",
    "rmsprop": "optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)",
    "scheduled": (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)"
    ),
}

LOADERS = {
    "shuffled": "loader = DataLoader(dataset, batch_size=6, shuffle=True)",
    "worker": "loader = DataLoader(dataset, batch_size=6, shuffle=True, num_workers=1)",
    "ordered": "loader = DataLoader(dataset, batch_size=6)",
}
DATA = "dataset = TensorDataset(torch.randn(96, 8), torch.arange(96) % 4)\n"

STEPS = {
    "plain": {
        "zero": "optimizer.zero_grad()",
        "backward": "loss.backward()",
        "step": "optimizer.step()",
    },
    "accumulated": {
        "backward": "(loss / 2).backward()",
        "step": "if step % 2 == 1:\n    optimizer.step()\n    optimizer.zero_grad()",
    },
    "scaled": {
        "setup": "scaler = torch.amp.GradScaler('cuda', init_scale=4.0)",
        "forward": "with torch.autocast('cuda', dtype=torch.bfloat16):\n    logits = model(x)",
        "loss": "loss = nn.functional.cross_entropy(logits.float(), y)",
        "zero": "optimizer.zero_grad()",
        "backward": "scaler.scale(loss).backward()",
        "step": "scaler.step(optimizer)\nscaler.update()",
    },
    "averaged": {
        "setup": "average = {name: p.detach().clone() for name, p in model.named_parameters()}",
        "zero": "optimizer.zero_grad()",
        "backward": "loss.backward()",
        "step": (
            "optimizer.step()\nwith torch.no_grad():\n"
            "    for name, p in model.named_parameters():\n        average[name].lerp_(p, 0.1)"
        ),
    },
    "two": {
        "setup": (
            "critic = nn.Linear(4, 1).to(device)\n"
            "critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)"
        ),
        "zero": "optimizer.zero_grad()",
        "backward": "(loss + 0.1 * critic(logits).mean()).backward()",
        "step": (
            "optimizer.step()\ncritic_optimizer.zero_grad()\n"
            "(critic(logits.detach()) ** 2).mean().backward()\ncritic_optimizer.step()"
        ),
    },
}


def surroundings(rng: random.Random, needed: Mapping[str, str]) -> Slots:
    """Slots of a whole program without anything to mend."""

    def chosen(kind: str, options: Mapping[str, object]) -> str:
        return needed.get(kind) or rng.choice(sorted(options))

    optimizer = chosen("optimizer", OPTIMIZERS)
    slots = {
        "head": HEAD,
        "data": DATA + LOADERS[chosen("loader", LOADERS)],
        "model": MODELS[chosen("model", MODELS)],
        "optimizer": OPTIMIZERS[optimizer],
        "loop": "for step, (x, y) in enumerate(loader):",
        "upload": "x, y = x.to(device), y.to(device)",
        "forward": "logits = model(x)",
        "loss": "loss = nn.functional.cross_entropy(logits, y)",
        **STEPS[chosen("steps", STEPS)],
    }
    if optimizer == "scheduled":
        slots["step"] += "\nscheduler.step()"
    return slots


def pair(change: Change, seed: int) -> tuple[str, str]:
    """The program before and after a change, in surroundings of its own."""
    slots = surroundings(random.Random(f"{change.name} {seed}"), change.surroundings)
    before = merged(slots, change.before)
    return source_of(before), source_of(merged(before, change.after))


def merged(slots: Slots, others: Mapping[str, str]) -> Slots:
    """Slots with others in their place; one that begins with `+` is added at the end of what is there."""
    whole = dict(slots)
    for name, text in others.items():
        whole[name] = f"{whole.get(name, '')}\n{text[1:].strip(chr(10))}" if text.startswith("+") else text
    return whole


_HEAD = re.compile(r"## (right|wrong): ([^,\n]+)(.*)\n-> (.*)\n")
_SLOT = re.compile(r"^\[(before|after) (\+?)(\w+)\]\n", re.MULTILINE)


def parse(text: str) -> Iterator[Change]:
    """The changes of a file: a name with what it needs, right verdicts, and slots."""
    for part in re.split(r"(?m)^(?=## )", text)[1:]:
        head = _HEAD.match(part)
        assert head is not None, part
        slots: dict[str, Slots] = {"before": {}, "after": {}}
        _, *found = _SLOT.split(part[head.end() :])
        for side, plus, name, lines in zip(*[iter(found)] * 4, strict=True):
            slots[side][name] = plus + lines.strip("\n")
        needs = dict(each.split(" ", 1) for each in head[3].split(", ")[1:])
        yield Change(
            head[2], slots["before"], slots["after"], tuple(head[4].split(", ")), needs, head[1] == "right"
        )


SUBJECTS = {
    file.stem: tuple(parse(file.read_text(encoding="utf-8")))
    for file in sorted((Path(__file__).parent / "changes").glob("*.txt"))
}
_MADE = tuple(change for changes in SUBJECTS.values() for change in changes)
RIGHT = tuple(change for change in _MADE if change.is_right)
WRONG = tuple(change for change in _MADE if not change.is_right)
GOOD = ("proved", "proved within rounding", "no effect")
ITEM = {"log": "print('loss', loss.item())"}


def renamed(old: str, new: str) -> Callable[[str], str]:
    return lambda source: re.sub(rf"\b{old}\b", new, source)


def in_function(source: str) -> str:
    head, _, rest = source.partition('device = torch.device("cuda")\n')
    body = "".join(f"    {line}\n" if line else "\n" for line in rest.splitlines())
    return f'{head}device = torch.device("cuda")\n\n\ndef main():\n{body}\n\nmain()\n'


HARMLESS: Mapping[str, Callable[[str], str]] = {
    "loss renamed": renamed("loss", "objective"),
    "model renamed": renamed("model", "network"),
    "input renamed": renamed("x", "inputs"),
    "optimizer renamed": renamed("optimizer", "update"),
    "comments": lambda source: source.replace("\n    ", "\n    # A line.\n    ", 1) + "# The end.\n",
    "blank lines": lambda source: source.replace("optimizer", "optimizer", 1).replace(
        "\ndevice", "\n\n\ndevice"
    ),
    "in a function": in_function,
    "number written otherwise": lambda source: source.replace("1e-2", "0.01").replace("0.1", "1e-1"),
    "device by name": lambda source: source.replace('torch.device("cuda")', '"cuda"'),
    "device with its number": lambda source: source.replace(
        'torch.device("cuda")', 'torch.device("cuda", 0)'
    ),
    "import renamed": lambda source: source.replace("from torch import nn", "import torch.nn as nn"),
    "docstring": lambda source: f'"""A training."""\n{source}',
    "unused function": lambda source: source.replace(
        "\ndevice =", "\n\ndef unused():\n    return 1\n\n\ndevice ="
    ),
    "unused import": lambda source: f"import json\n{source}",
    "cuda for to": lambda source: source.replace("x.to(device)", "x.cuda()"),
    "type hints": lambda source: source.replace("device =", "device: torch.device ="),
    "loop by next": lambda source: source.replace(
        "for step, (x, y) in enumerate(loader):", "for step, batch in enumerate(loader):\n    x, y = batch"
    ),
    "an f-string": lambda source: source.replace(
        "print('loss', loss.item())", "print(f'loss {loss.item()}')"
    ),
    "other words": lambda source: source.replace("print('loss',", "print('the loss is',"),
    "compile off": lambda source: source.replace(
        "\noptimizer =", "\nmodel.forward = model.forward\noptimizer =", 1
    ),
}
"""Rewrites of the text of any program."""
