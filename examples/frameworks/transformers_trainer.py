"""Hugging Face's Trainer with tbprof's callback: a tiny model on random tokens.

python examples/frameworks/transformers_trainer.py logs/transformers
"""

from __future__ import annotations

import sys
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from tbprof.integrations.transformers import TbprofCallback


class Tokens(Dataset[dict[str, torch.Tensor]]):
    """Sequences of 16 tokens, and a label each."""

    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.randint(100, (16,)), "labels": torch.tensor(index % 2)}


if __name__ == "__main__":
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
        )
    )
    arguments = TrainingArguments(
        tempfile.mkdtemp(), max_steps=24, per_device_train_batch_size=4, logging_steps=8, report_to=[]
    )
    callback = TbprofCallback(sys.argv[1] if len(sys.argv) > 1 else "logs/transformers")
    Trainer(model, arguments, train_dataset=Tokens(), callbacks=[callback]).train()
