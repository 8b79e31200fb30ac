import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(4, dtype=torch.long, device=device)


def build(lengths_cpu, is_draft_cpu, lengths, is_draft):
    drafts = int(is_draft_cpu.sum())
    tokens = int(lengths_cpu[~is_draft_cpu].sum())
    index = torch.repeat_interleave(is_draft, lengths, output_size=int(lengths_cpu.sum()))
    kept.add_(lengths + index.sum() + drafts + tokens)


lengths_cpu, is_draft_cpu = torch.tensor([3, 1, 4, 2]), torch.tensor([True, False, True, False])
lengths, is_draft = lengths_cpu.to(device), is_draft_cpu.to(device)
for step in range(8):
    build(lengths_cpu, is_draft_cpu, lengths, is_draft)
