import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Linear(8, 4).to(device)
samples = TensorDataset(torch.randn(30, 8), torch.randint(4, (30,)))
loader = DataLoader(samples, batch_size=6, pin_memory=torch.cuda.is_available())


@torch.no_grad()
def evaluate():
    total = 0
    loss = torch.tensor(0.0, device=device)
    hits = torch.tensor(0, device=device)
    is_pinned = loader.pin_memory
    for x, y in loader:
        x = x.to(device, non_blocking=is_pinned)
        y = y.to(device, non_blocking=is_pinned)
        output = model(x)
        loss += nn.functional.cross_entropy(output, y, reduction="sum")
        hit = output.max(1, keepdim=True)[1]
        hits += hit.eq(y.view_as(hit)).sum()
        total += len(x)
    hits = hits.item()
    loss = loss.item()
    model.weight.mul_(0.9)
    return loss / total, hits


for _ in range(8):
    print("loss {:.4f} correct {}".format(*evaluate()))
