"""A learner of fastai with a metric and clipped gradients."""

import torch
from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.metrics import accuracy
from fastai.callback.training import GradientClip
from torch import nn
from torch.utils.data import TensorDataset

data = TensorDataset(torch.randn(256, 16), torch.arange(256) % 2)
device = "cuda" if torch.cuda.is_available() else "cpu"
loaders = DataLoaders.from_dsets(data, data, bs=8, device=device)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
learner = Learner(loaders, model, loss_func=nn.CrossEntropyLoss(), metrics=accuracy, cbs=GradientClip(1.0))
with learner.no_bar(), learner.no_logging():
    learner.fit(1, 0.1)
