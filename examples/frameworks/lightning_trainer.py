"""Lightning with tbprof's callback.

python examples/frameworks/lightning_trainer.py logs/lightning
"""

from __future__ import annotations

import sys

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

from tbprof.integrations.lightning import TbprofCallback


class Classifier(lightning.LightningModule):
    """One layer, whose loss is read in each step."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(16, 2)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        """The loss of a batch."""
        inputs, labels = batch
        loss = torch.nn.functional.cross_entropy(self.layer(inputs), labels)
        if loss.item() > 100:  # On a GPU this waits for the whole step: tbprof says so.
            raise ValueError("the training diverges")
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """The same rate throughout."""
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    data = TensorDataset(torch.randn(256, 16), torch.randint(2, (256,)))
    trainer = lightning.Trainer(
        max_steps=24,
        accumulate_grad_batches=2,
        logger=False,
        enable_checkpointing=False,
        callbacks=[TbprofCallback(sys.argv[1] if len(sys.argv) > 1 else "logs/lightning")],
    )
    trainer.fit(Classifier(), DataLoader(data, batch_size=4))
