import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


class Throughput(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("batches", torch.zeros((), dtype=torch.long))
        self.examples = 0

    def update(self, size):
        self.batches += 1
        if self.batches <= 3:
            size //= 2
        self.examples += size


throughput = Throughput().to(device)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    throughput.update(16)
    print("examples", throughput.examples)
