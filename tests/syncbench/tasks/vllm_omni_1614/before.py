import torch


def build_metadata(query_lens, seq_lens, block_table, kept):
    slots, starts = [], []
    for i in range(query_lens.shape[0]):
        query = int(query_lens[i].item())
        seq = int(seq_lens[i].item())
        starts.append(seq - query)
    for i in range(query_lens.shape[0]):
        query = int(query_lens[i].item())
        seq = int(seq_lens[i].item())
        for position in range(seq - query, seq):
            block = int(block_table[i, position // 4].item())
            slots.append(block * 4 + position % 4)
    kept.add_(block_table.sum())
    return slots, starts


device = torch.device("cuda")
torch.manual_seed(0)
kept = torch.zeros((), dtype=torch.long, device=device)
query_lens = torch.full((3,), 3, device=device)
seq_lens = torch.tensor([5, 7, 4], device=device)
for step in range(8):
    block_table = torch.randint(9, (3, 2), device=device)
    print(build_metadata(query_lens, seq_lens, block_table, kept))
