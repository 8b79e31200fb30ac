import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
import io
import json

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
held_out = torch.randn(24, 8, device=device)
labels = torch.randint(4, (24,), device=device)


@torch.no_grad()
def evaluate():
    out = model(held_out)
    chosen = out.argmax(1)
    report = {}
    report["accuracy"] = (chosen == labels).float().mean().item()
    report["loss"] = float(nn.functional.cross_entropy(out, labels))
    table = torch.zeros(4, 4, dtype=torch.long, device=device)
    table.view(-1).index_add_(0, labels * 4 + chosen, torch.ones_like(labels))
    report["table"] = table.tolist()
    right = table.diagonal()
    report["recall"] = (right / table.sum(1).clamp(min=1)).tolist()
    report["precision"] = (right / table.sum(0).clamp(min=1)).cpu().tolist()
    scores = out.softmax(1).amax(1)
    report["worst"] = scores.topk(3, largest=False).indices.tolist()
    report["sure"] = int((scores > 0.5).sum())
    report["median"] = scores.median().item()
    report["spread"] = scores.std().item()
    report["quantiles"] = scores.quantile(torch.full((1,), 0.9, device=device)).tolist()
    report["wrong"] = (chosen != labels).nonzero().flatten().tolist()
    report["kinds"] = len(torch.unique(chosen))
    report["finite"] = bool(torch.isfinite(out).all())
    torch.save(out.cpu(), io.BytesIO())
    picture = (scores.view(4, 6) * 255).byte().cpu().numpy()
    return json.dumps(report), picture.shape


for step in range(10):
    x = torch.randn(16, 8, device=device)
    y = torch.randint(4, (16,), device=device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        print(*evaluate())
