import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
capacity = torch.tensor(6)


def gate(logits):
    gates = logits.softmax(1)
    experts = gates.shape[1]
    mask = nn.functional.one_hot(gates.argmax(1), experts)
    counts = mask.sum(0).detach().to(logits.device)
    balance = (gates.mean(0) * mask.float().mean(0)).sum() * experts
    chosen = (mask * torch.rand(mask.shape, device=device)).topk(int(capacity), dim=0)[1]
    mask = mask * torch.zeros_like(mask).scatter_(0, chosen, 1)
    places = ((mask.cumsum(0) - 1) * mask).sum(1)
    slots = nn.functional.one_hot(places, int(capacity)).float()
    combined = torch.einsum("se,sc->sec", gates * mask.float(), slots)
    return balance, combined, combined.bool(), counts


router = nn.Linear(8, 4).to(device)
experts = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)]).to(device)
optimizer = torch.optim.SGD([*router.parameters(), *experts.parameters()], lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    balance, combined, sent, counts = gate(router(x))
    parts = torch.einsum("sec,sm->ecm", sent.float(), x)
    found = torch.stack([expert(part) for expert, part in zip(experts, parts)])
    y = torch.einsum("sec,ecm->sm", combined, found)
    loss = (y - x).square().mean() + 0.01 * balance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
