import torch

torch.manual_seed(0)
device = torch.device("cuda")
sigmas = torch.linspace(1, 0.1, 10, device=device)
latents = torch.randn(4, 6, device=device)


def turn(i):
    sigma = sigmas[i].item()
    noise = latents * sigma
    latents.sub_(0.2 * noise)
    if torch.isnan(latents).any():
        raise RuntimeError("the latents are not finite")


for i in range(8):
    turn(i)
