import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros((), device=device)


def decode(logits, lengths):
    kept.add_(logits.sum())
    texts = []
    for i in range(logits.shape[0]):
        length = lengths[i].item()
        labels = logits[i].argmax(-1)[:length].cpu()
        texts.append(labels.tolist())
    return texts


lengths = torch.tensor([5, 3, 4], device=device)
for _ in range(8):
    print(decode(torch.randn(3, 5, 6, device=device), lengths))
