"""A Hugging Face Trainer that knows nothing of tbprof: a tiny model on tokens drawn at random."""

import sys

import torch
from torch.utils.data import Dataset

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()  # Beside a CPU build of torch it does not import by itself, and transformers would.

from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Tokens(Dataset):
    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        generator = torch.Generator().manual_seed(index)
        return {
            "input_ids": torch.randint(100, (16,), generator=generator),
            "labels": torch.tensor(index % 2),
        }


torch.manual_seed(0)
config = BertConfig(
    vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
)
arguments = TrainingArguments(
    output_dir=sys.argv[1],
    max_steps=24,
    per_device_train_batch_size=4,
    logging_steps=8,
    report_to=[],
    save_strategy="no",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(BertForSequenceClassification(config), arguments, train_dataset=Tokens())
trained = trainer.train()
print(f"loss {trained.training_loss:.6f}")
