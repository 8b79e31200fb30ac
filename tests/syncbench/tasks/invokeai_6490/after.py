import torch

torch.manual_seed(0)
device = torch.device("cuda")
weight = torch.randn(8, 8, device=device)
original = weight.to("cpu", copy=True)
layer = {"up": torch.randn(8, 2), "down": torch.randn(2, 8)}
kept = torch.zeros(8, 8, device=device)


def move(place):
    for name, tensor in layer.items():
        layer[name] = tensor.to(place, non_blocking=True)


def generate(x):
    move(device)
    patch = layer["up"] @ layer["down"] * 0.5
    move("cpu")
    weight.add_(patch)
    kept.add_(x @ weight)
    size = layer["up"].abs().max()
    weight.copy_(original, non_blocking=True)
    return size


for _ in range(8):
    print(generate(torch.randn(8, 8, device=device)))
