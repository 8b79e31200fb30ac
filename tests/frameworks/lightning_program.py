"""A Lightning Trainer that knows nothing of tbprof."""

import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()  # Beside a CPU build of torch it does not import by itself, and Lightning would.

import lightning


class Classifier(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(16, 2)
        self.last_loss = 0.0

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        inputs, labels = batch
        loss = torch.nn.functional.cross_entropy(self.layer(inputs), labels)
        self.last_loss = loss.item()
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


lightning.seed_everything(0, verbose=False)
data = TensorDataset(torch.randn(128, 16), torch.randint(2, (128,)))
model = Classifier()
trainer = lightning.Trainer(
    default_root_dir=sys.argv[1],
    max_steps=int(sys.argv[2]) if len(sys.argv) > 2 else 24,
    accumulate_grad_batches=int(sys.argv[3]) if len(sys.argv) > 3 else 1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, DataLoader(data, batch_size=4))
print(f"loss {model.last_loss:.6f}")
