"""The same without a wait: pinned batches, a fused optimizer, and a loss that is read at the end."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

VOCABULARY, CONTEXT, WIDTH = 64, 16, 32


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x, mask):
        y = self.norm(x)
        return x + self.attention(y, y, y, attn_mask=mask, is_causal=True, need_weights=False)[0]


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.block = nn.Embedding(VOCABULARY, WIDTH), Block()
        self.head = nn.Linear(WIDTH, VOCABULARY)
        mask = nn.Transformer.generate_square_subsequent_mask(CONTEXT)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, tokens, targets):
        logits = self.head(self.block(self.tokens(tokens), self.mask))
        return F.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1))


torch.manual_seed(1337)
data = torch.randint(VOCABULARY, (1000,))


def get_batch():
    starts = torch.randint(len(data) - CONTEXT - 1, (4,)).tolist()
    x = torch.stack([data[i : i + CONTEXT] for i in starts]).pin_memory()
    y = torch.stack([data[i + 1 : i + 1 + CONTEXT] for i in starts]).pin_memory()
    return x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)


model = GPT().to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
scaler = torch.amp.GradScaler("cuda")
running = torch.zeros((), device="cuda")
for _iteration in range(20):
    tokens, targets = get_batch()
    with torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
        loss = model(tokens, targets)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    running += loss.detach()
