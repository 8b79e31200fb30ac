"""A loop of Lightning Fabric."""

import torch
from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

fabric = Fabric(accelerator="auto", devices=1)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
model, optimizer = fabric.setup(model, torch.optim.Adam(model.parameters()))
data = TensorDataset(torch.randn(256, 16), torch.arange(256) % 2)
for x, y in fabric.setup_dataloaders(DataLoader(data, batch_size=8)):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    fabric.backward(loss)
    fabric.clip_gradients(model, optimizer, max_norm=1.0)
    optimizer.step()
    print(loss.item())
