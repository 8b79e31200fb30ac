"""A runner of MMEngine."""

import sys

import torch
from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
from mmengine.model import BaseModel
from mmengine.runner import Runner
from torch import nn


class Net(BaseModel):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x, y, mode):
        out = self.net(x)
        return {"loss": nn.functional.cross_entropy(out, y)} if mode == "loss" else (out, y)


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        return torch.randn(16), index % 2


loader = dict(batch_size=8, dataset=Data(), sampler=dict(type="DefaultSampler", shuffle=True))
runner = Runner(
    model=Net(),
    work_dir=sys.argv[1],
    train_dataloader=dict(loader, collate_fn=dict(type="default_collate")),
    train_cfg=dict(by_epoch=True, max_epochs=1),
    optim_wrapper=dict(optimizer=dict(type="SGD", lr=0.1), clip_grad=dict(max_norm=1.0)),
    default_hooks=dict(logger=dict(type="LoggerHook", interval=1), checkpoint=None),
    log_level="WARNING",
)
runner.train()
