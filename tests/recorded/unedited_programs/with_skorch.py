"""A network of skorch."""

import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn

net = NeuralNetClassifier(
    nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2), nn.Softmax(dim=-1)),
    max_epochs=1,
    batch_size=8,
    lr=0.1,
    device="cuda" if torch.cuda.is_available() else "cpu",
)
net.fit(np.random.rand(400, 16).astype("float32"), np.arange(400) % 2)
