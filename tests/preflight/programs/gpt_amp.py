"""A small GPT trained in mixed precision, compiled, clipped and logged."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

VOCABULARY, CONTEXT, WIDTH = 64, 16, 32


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, 4, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.attention, self.norm = Attention(), nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, targets):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.positions(positions)
        x = x + self.attention(self.norm(x))
        logits = self.head(x)
        return F.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1), ignore_index=-1)


torch.manual_seed(1337)
data = torch.randint(VOCABULARY, (1000,))


def get_batch():
    starts = torch.randint(len(data) - CONTEXT - 1, (4,))
    x = torch.stack([data[i : i + CONTEXT] for i in starts])
    y = torch.stack([data[i + 1 : i + 1 + CONTEXT] for i in starts])
    x = x.pin_memory().to("cuda", non_blocking=True)
    return x, y.to("cuda")  #! upload


model = GPT().to("cuda")
model = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cuda", enabled=True)
for iteration in range(20):
    for group in optimizer.param_groups:
        group["lr"] = 1e-3 / (iteration + 1)
    for _micro_step in range(2):
        tokens, targets = get_batch()
        with torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
            loss = model(tokens, targets) / 2
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)  #! scalar_read
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    print(f"iter {iteration}: loss {loss.item() * 2:.4f}, norm {norm:.2f}")  #! scalar_read
