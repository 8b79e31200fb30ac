import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
import io

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
held_out = torch.randn(12, 8, device=device)
running = torch.zeros((), device=device)
largest = torch.zeros((), device=device)
hits = torch.zeros((), dtype=torch.long, device=device)
best, bad = float("inf"), 0
for step in range(12):
    x = torch.randn(16, 8, device=device)
    y = torch.randint(4, (16,), device=device)
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    with torch.no_grad():
        running += loss
        hits += (logits.argmax(1) == y).sum()
        torch.maximum(largest, norm, out=largest)
    if step % 4 == 3:
        print(f"loss {running.item() / 4:.4f}")
        print(f"accuracy {hits.item() / 64:.3f}")
        print(f"norm {largest.item():.3f}")
        if not torch.isfinite(largest):
            raise RuntimeError("the gradients are not finite")
        for value in (running, hits, largest):
            value.zero_()
        with torch.no_grad():
            out = model(held_out)
            validation = out.square().mean().item()
            spread = out.std(0).tolist()
            classes = torch.bincount(out.argmax(1), minlength=4).tolist()
        limits = torch.stack([out.min(), out.max()]).tolist()
        sure = (out.softmax(1).amax(1) > 0.5).sum().item()
        print(*limits, sure)
        print("validation", validation, *spread, *classes)
        scheduler.step(validation)
        weights = {name: value.cpu() for name, value in model.state_dict().items()}
        momentum = [p.grad.norm().item() for p in model.parameters()]
        print("gradients", *momentum)
        torch.save(weights, io.BytesIO())
        bad = 0 if validation < best else bad + 1
        best = min(best, validation)
        if bad > 2:
            break
