import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
held_out = torch.randn(20, 8, device=device)
labels = torch.randint(4, (20,), device=device)


def report(step):
    page = {}
    with torch.no_grad():
        out = model(held_out)
        chances = out.softmax(1)
        page["entropy"] = -(chances * chances.log()).sum(1).mean().item()
        page["margin"] = chances.topk(2, dim=1).values.diff(dim=1).mean().item()
        page["brier"] = (chances - nn.functional.one_hot(labels, 4)).square().sum(1).mean().item()
        page["rank"] = (out.argsort(1) == labels[:, None]).float().argmax(1).tolist()
        page["top2"] = (out.topk(2, dim=1).indices == labels[:, None]).any(1).sum().item()
        page["dead"] = (model[1](model[0](held_out)) == 0).all(0).sum().item()
        page["active"] = model[1](model[0](held_out)).gt(0).float().mean().item()
        for name, weight in model.named_parameters():
            page[f"{name} norm"] = weight.norm().item()
            page[f"{name} range"] = [weight.min().item(), weight.max().item()]
            page[f"{name} gradient"] = weight.grad.norm().item()
        page["sharpest"] = chances.max().item()
        page["flattest"] = chances.max(1).values.min().item()
        page["class"] = chances.mean(0).cpu().numpy().round(3)
        page["largest"] = int(chances.sum(0).argmax())
        page["calibrated"] = float((chances.amax(1) - (out.argmax(1) == labels).float()).mean())
    return step, page


for step in range(12):
    x = torch.randn(16, 8, device=device)
    loss = nn.functional.cross_entropy(model(x), torch.randint(4, (16,), device=device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        print(*report(step))
