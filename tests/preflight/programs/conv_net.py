"""A small image classifier with the usual reads, branches and uploads in its loop."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return x + self.norm(self.conv(x)).relu()


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Conv2d(3, 8, 3), Block(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
running, correct = 0.0, 0
for step in range(10):
    images = torch.rand(4, 3, 8, 8)
    labels = torch.arange(4)
    images = images.to(device)  #! upload
    labels = labels.cuda()  #! upload
    mean = torch.tensor([0.4, 0.5, 0.6], device=device).view(1, 3, 1, 1)  #! upload
    logits = model(images - mean)
    loss = criterion(logits, labels)
    if torch.isnan(loss):  #! control_flow
        break
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss.item()  #! scalar_read
    correct += (logits.argmax(1) == labels).sum().cpu()  #! host_read
    if step % 2 == 0:
        print(step, loss)  #! host_read
