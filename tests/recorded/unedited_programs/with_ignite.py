"""An engine of Ignite that shows its loss."""

import torch
from ignite.engine import Events, create_supervised_trainer
from ignite.metrics import RunningAverage
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss(), device=device)
RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")


@trainer.on(Events.ITERATION_COMPLETED)
def show(engine):
    print(engine.state.iteration, engine.state.metrics["loss"])


data = TensorDataset(torch.randn(256, 16), torch.arange(256) % 2)
trainer.run(DataLoader(data, batch_size=8), max_epochs=1)
