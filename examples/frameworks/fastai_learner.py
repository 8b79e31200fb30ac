"""A Learner of fastai with tbprof's callback.

python examples/frameworks/fastai_learner.py logs/fastai
"""

from __future__ import annotations

import sys

import torch
from fastai.data.core import DataLoaders
from fastai.learner import Learner

from tbprof.integrations.fastai import TbprofCallback

if __name__ == "__main__":
    inputs = torch.randn(160, 4)
    data = torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True))
    loaders = DataLoaders.from_dsets(data, data, bs=8, num_workers=0)
    learn = Learner(loaders, torch.nn.Linear(4, 1), loss_func=torch.nn.MSELoss(), lr=0.01)
    learn.fit(1, cbs=TbprofCallback(sys.argv[1] if len(sys.argv) > 1 else "logs/fastai"))
