import torch

torch.manual_seed(0)
device = torch.device("cuda")
timesteps = torch.linspace(1000, 0, 9, device=device)
times = (1000 - torch.linspace(1000, 0, 9)).div(1000).tolist()
pad_token = torch.randn(4, device=device)
latents = torch.randn(6, 4, device=device)


def denoise(i, mask):
    time = times[i]
    guidance = 2.0 if time < 0.5 else 1.0
    x = latents * guidance
    x = torch.where(mask.unsqueeze(1), x, pad_token)
    norm, most = x.norm(), latents.norm()
    x = torch.where(norm > most, x * (most / norm), x)
    latents.copy_(latents - 0.1 * x)


for i in range(8):
    denoise(i, torch.rand(6, device=device) > 0.6)
