import torch


def encode(masks, kept):
    count, height, width = masks.shape
    flat = masks.permute(0, 2, 1).flatten(1)
    diff = flat[:, 1:] ^ flat[:, :-1]
    changes = diff.nonzero()
    runs = []
    for at in range(count):
        inner = changes[changes[:, 0] == at, 1]
        first = torch.tensor([0], device=inner.device)
        last = torch.tensor([height * width], device=inner.device)
        places = torch.cat([first, inner + 1, last])
        lengths = places[1:] - places[:-1]
        if flat[at, 0] == 0:
            run = []
        else:
            run = [0]
        run += lengths.detach().cpu().tolist()
        runs.append(run)
    kept.add_(flat.sum())
    return runs


device = torch.device("cuda")
torch.manual_seed(0)
kept = torch.zeros((), dtype=torch.long, device=device)
for step in range(8):
    masks = torch.rand(5, 6, 7, device=device) > 0.4
    print(step, encode(masks, kept))
