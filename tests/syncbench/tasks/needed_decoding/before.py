import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
embed = nn.Embedding(12, 8).to(device)
head = nn.Linear(8, 12).to(device)
seen = torch.zeros(12, device=device)
eos = 3


@torch.no_grad()
def answer(prompt, most):
    tokens, state = prompt.clone(), torch.zeros(1, 8, device=device)
    for _ in range(most):
        state = torch.tanh(state + embed(tokens[:, -1]))
        token = head(state).argmax(1, keepdim=True)
        tokens = torch.cat([tokens, token], 1)
        seen.index_add_(0, token.flatten(), torch.ones(1, device=device))
        print("reader", token.item())
        if (token == eos).all():
            break
    return tokens.tolist()


@torch.no_grad()
def several(prompts, most):
    tokens, done = prompts, torch.zeros(3, dtype=torch.bool, device=device)
    while tokens.shape[1] < most and not done.all():
        token = head(embed(tokens).mean(1)).argmax(1)
        token = torch.where(done, eos, token)
        tokens = torch.cat([tokens, token[:, None]], 1)
        done = done | (token == eos)
    return [text[: text.index(eos)] if eos in text else text for text in tokens.tolist()]


@torch.no_grad()
def draft(prompt, drafts):
    guess = head(embed(prompt)).argmax(-1)[0, -drafts:]
    right = head(embed(prompt).cumsum(1)).argmax(-1)[0, -drafts:]
    accepted = int((guess == right).long().cumprod(0).sum())
    return guess[:accepted].tolist(), right[accepted].item()


for step in range(8):
    prompt = torch.randint(12, (1, 3), device=device)
    print(several(torch.randint(12, (3, 2), device=device), 6))
    print(draft(torch.randint(12, (1, 5), device=device), 3))
    print(answer(prompt, 5))
