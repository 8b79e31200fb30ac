import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
import io

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
critic = nn.Linear(4, 1).to(device)
fixed = torch.randn(4, 8, device=device)
real = torch.randn(32, 4, device=device)
for step in range(10):
    z = torch.randn(16, 8, device=device)
    fake = model(z)
    loss = nn.functional.softplus(-critic(fake)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        with torch.no_grad():
            pictures = (model(fixed).sigmoid() * 255).byte().cpu().numpy()
            mean = (fake.mean(0) - real.mean(0)).norm().item()
            spread = (fake.var(0) - real.var(0)).abs().sum().item()
            judged = critic(fake).mean().item()
            judged_real = critic(real).mean().item()
            nearest = torch.cdist(fake, real).amin(1).tolist()
            covered = torch.cdist(real, fake).argmin(1).unique().numel()
            ranges = torch.stack([fake.amin(0), fake.amax(0)]).cpu().tolist()
            correlation = torch.corrcoef(fake.T).cpu().numpy()
            parts = fake.quantile(0.5, dim=0).tolist()
            collapsed = bool((fake.std(0) < 1e-4).all())
            name = f"{step}-{int(fake.abs().sum() * 1000)}"
        with io.BytesIO() as file:
            file.write(pictures.tobytes() + correlation.tobytes())
        print(name, mean, spread, judged, judged_real, *nearest, covered, *ranges, *parts, collapsed)
