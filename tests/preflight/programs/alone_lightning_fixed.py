"""The same without a branch on the loss, and without a bar that shows it."""

import warnings

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 1)

    def training_step(self, batch, _index):
        loss = self.linear(batch[0]).square().mean()
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


trainer = lightning.Trainer(
    accelerator="gpu",
    devices=1,
    max_steps=8,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
)
trainer.fit(Module(), DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=4, pin_memory=True))
