import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(4, device=device)
places = [torch.empty(4, pin_memory=True) for _ in range(3)]


def to_host(batch):
    for place, value in zip(places, batch):
        place.copy_(value, non_blocking=True)
    torch.cuda.synchronize()
    kept.add_(batch[0])
    return [place.sum() for place in places]


for _ in range(8):
    print(*to_host([torch.randn(4, device=device) for _ in places]))
