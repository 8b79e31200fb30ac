import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
teacher = nn.Linear(8, 4).to(device)
train = torch.randn(32, 8, device=device)
valid = torch.randn(16, 8, device=device)
best, stalled = float("inf"), 0
history = []
for epoch in range(4):
    total = torch.zeros((), device=device)
    worst = torch.zeros((), device=device)
    for batch in train.split(8):
        loss = (model(batch) - teacher(batch).detach()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        torch.maximum(worst, loss.detach(), out=worst)
    with torch.no_grad():
        out, wanted = model(valid), teacher(valid)
        error = (out - wanted).square().mean().item()
        agreed = (out.argmax(1) == wanted.argmax(1)).sum().item()
        bias = (out - wanted).mean(0).tolist()
        confusion = torch.histc(out.argmax(1).float(), 4, 0, 3).cpu().numpy()
        size = torch.stack([p.norm() for p in model.parameters()]).tolist()
        steepest = max(p.grad.abs().max() for p in model.parameters()).item()
    history.append((total / 4).item())
    peak = float(worst)
    print(epoch, error, agreed, *bias, *confusion, *size, steepest, history[-1], peak)
    if error < best:
        best, stalled = error, 0
        saved = {name: value.detach().to("cpu") for name, value in model.state_dict().items()}
    else:
        stalled += 1
    if torch.isnan(total):
        raise RuntimeError("the loss is not a number")
    if stalled > 1:
        break
