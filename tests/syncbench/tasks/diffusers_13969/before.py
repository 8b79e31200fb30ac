import torch

torch.manual_seed(0)
device = torch.device("cuda")
alphas = torch.linspace(0.99, 0.1, 50).cumprod(0)
cpu_timesteps = torch.arange(49, 0, -5)
timesteps = cpu_timesteps.to(device)
sample = torch.randn(2, 6, device=device)


def step(i):
    alpha = alphas[timesteps[i]]
    previous = alphas[timesteps[i + 1]]
    denoised = (sample - (1 - alpha).sqrt() * 0.1) / alpha.sqrt()
    sample.copy_(previous.sqrt() * denoised)


for i in range(8):
    step(i)
