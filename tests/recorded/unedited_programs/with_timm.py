"""A loop with the model, optimizer and meters of timm."""

import torch
from torch import nn

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
import timm
from timm.optim import create_optimizer_v2
from timm.utils import AverageMeter, accuracy

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = timm.create_model("resnet10t", num_classes=4).to(device)
optimizer = create_optimizer_v2(model, "adamw", lr=1e-3)
losses, top1 = AverageMeter(), AverageMeter()
for _ in range(12):
    x, y = torch.randn(4, 3, 32, 32).to(device), torch.randint(0, 4, (4,)).to(device)
    out = model(x)
    loss = nn.functional.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.update(loss.item(), 4)
    top1.update(accuracy(out, y, topk=(1,))[0].item(), 4)
print(losses.avg, top1.avg)
