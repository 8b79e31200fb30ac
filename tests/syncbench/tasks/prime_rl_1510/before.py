import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    scores = model(x).softmax(1)
    chosen = scores.argmax(1)
    counts = torch.histc(chosen.float(), bins=4, min=0, max=3)
    loss = (counts / x.shape[0] * scores.mean(0)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
