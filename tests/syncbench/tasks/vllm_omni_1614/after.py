import torch


def build_metadata(query_lens, seq_lens, block_table, kept):
    slots, starts = [], []
    queries = query_lens.tolist()
    seqs = seq_lens.tolist()
    table = block_table.cpu().tolist()
    for query, seq in zip(queries, seqs):
        starts.append(seq - query)
    for i, (query, seq) in enumerate(zip(queries, seqs)):
        for position in range(seq - query, seq):
            slots.append(table[i][position // 4] * 4 + position % 4)
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
