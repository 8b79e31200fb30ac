import torch

torch.manual_seed(0)
device = torch.device("cuda")
times = torch.linspace(1, 0, 7).tolist()
kept = torch.zeros(6, 4, device=device)


def generate(prompt, images):
    each = prompt.repeat_interleave(images, dim=0, output_size=6)
    latents = torch.randn(6, 4, device=device)
    for time in times:
        latents = latents - 0.1 * time * (latents - each)
    kept.add_(latents)


images = torch.tensor([2, 2, 2], device=device)
for step in range(8):
    generate(torch.randn(3, 4, device=device), images)
