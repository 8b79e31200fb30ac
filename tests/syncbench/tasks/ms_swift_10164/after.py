import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(12, device=device)
bounds_cpu = [0, 4, 6, 12]
bounds = torch.tensor(bounds_cpu, device=device)


def reconstruct(packed):
    out = torch.empty_like(packed)
    for i in range(3):
        start, end = bounds_cpu[i], bounds_cpu[i + 1]
        half = (end - start) // 2
        out[start : start + half] = packed[start + half : end]
        out[start + half : end] = packed[start : start + half]
    kept.add_(out)


for _ in range(8):
    reconstruct(torch.randn(12, device=device))
