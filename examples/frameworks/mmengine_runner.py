"""A Runner of MMEngine with tbprof's hook.

python examples/frameworks/mmengine_runner.py logs/mmengine
"""

from __future__ import annotations

import sys
import tempfile

import torch
from mmengine.model import BaseModel
from mmengine.runner import Runner

import tbprof.integrations.mmengine  # noqa: F401 - registers TbprofHook


class Classifier(BaseModel):
    """One layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(16, 2)

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor, **_: str) -> dict[str, torch.Tensor]:
        """The loss; there is nothing else in this example."""
        return {"loss": torch.nn.functional.cross_entropy(self.layer(inputs), labels)}


if __name__ == "__main__":
    runner = Runner(
        Classifier(),
        work_dir=tempfile.mkdtemp(),
        train_dataloader={
            "batch_size": 4,
            "dataset": torch.utils.data.TensorDataset(torch.randn(128, 16), torch.randint(2, (128,))),
            "sampler": {"type": "DefaultSampler"},
            "collate_fn": {"type": "default_collate"},
        },
        train_cfg={"by_epoch": True, "max_epochs": 1},
        optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.1}},
        custom_hooks=[{"type": "TbprofHook", "hook": sys.argv[1] if len(sys.argv) > 1 else "logs/mmengine"}],
    )
    runner.train()
