import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
total = torch.zeros((), device=device)
for step in range(12):
    x = torch.randn(16, 8, device=device)
    y = torch.randint(4, (16,), device=device)
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x).float(), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    total += loss.detach()
    if step % 4 == 3:
        print("scale", scaler.get_scale())
        print("loss", total.item())
        print("weights", *(p.norm().item() for p in model.parameters()))
        total.zero_()
