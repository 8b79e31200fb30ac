"""The same Trainer with its batches copied without blocking, and nothing read in its steps."""

import tempfile

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Numbers(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return {"x": torch.full((4,), float(index)), "labels": torch.tensor(index % 2)}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x, labels):
        logits = self.linear(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


arguments = TrainingArguments(
    tempfile.mkdtemp(),
    max_steps=8,
    logging_steps=100,
    logging_nan_inf_filter=False,
    accelerator_config={"non_blocking": True},
    report_to=[],
    bf16=True,
    disable_tqdm=True,
    save_steps=100,
)
Trainer(model=Classifier(), args=arguments, train_dataset=Numbers()).train()
