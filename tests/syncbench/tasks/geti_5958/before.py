import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(48, 8), torch.arange(48) % 4)
loader = DataLoader(data, batch_size=6, pin_memory=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
