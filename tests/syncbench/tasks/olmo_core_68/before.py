import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def move(tensor):
    return tensor.to(device, non_blocking=True)


for step in range(8):
    optimizer.zero_grad(set_to_none=True)
    batch = move(torch.randn(16, 8))
    micro_batches = batch.split(8)
    batch_loss = torch.tensor(0.0, device=device)
    z_loss = torch.tensor(0.0, device=device)
    for micro_batch in micro_batches:
        logits = model(micro_batch)
        z = logits.logsumexp(1).square().mean()
        loss = logits.square().mean() + 0.01 * z
        batch_loss += loss.detach()
        z_loss += z.detach()
        loss.backward()
    optimizer.step()
