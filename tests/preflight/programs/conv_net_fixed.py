"""The same classifier with nothing in its loop that the host waits for."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.AdaptiveAvgPool2d(1), nn.Flatten())
model = nn.Sequential(body, nn.Linear(8, 4))
model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
mean = torch.tensor([0.4, 0.5, 0.6], device=device).view(1, 3, 1, 1)
running = torch.zeros((), device=device)
data = TensorDataset(torch.rand(40, 3, 8, 8), torch.arange(40) % 4)
for images, labels in DataLoader(data, batch_size=4, pin_memory=True):
    images = images.to(device, non_blocking=True)
    labels = labels.to(device, non_blocking=True)
    logits = model(images - mean)
    loss = criterion(logits, labels)
    torch._assert_async(~torch.isnan(loss))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss.detach()
print(running.item())
