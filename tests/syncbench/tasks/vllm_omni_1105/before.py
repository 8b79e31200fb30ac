import torch

torch.manual_seed(0)
device = torch.device("cuda")
timesteps = torch.linspace(1000, 0, 9, device=device)
pad_token = torch.randn(4, device=device)
latents = torch.randn(6, 4, device=device)


def denoise(i, mask):
    time = (1000 - timesteps[i]).div(1000).item()
    guidance = 2.0 if time < 0.5 else 1.0
    x = latents * guidance
    x[mask] = pad_token
    norm, most = x.norm(), latents.norm()
    if norm > most:
        x = x * (most / norm)
    latents.copy_(latents - 0.1 * x)


for i in range(8):
    denoise(i, torch.rand(6, device=device) > 0.6)
