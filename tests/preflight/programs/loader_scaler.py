"""Worker processes, pinned batches that are copied as if they were not, and a gradient scaler."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return {"x": torch.full((8,), float(index)), "y": index % 2}


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.cuda.amp.GradScaler() if not hasattr(torch.amp, "GradScaler") else torch.amp.GradScaler()
loader = DataLoader(Numbers(), batch_size=4, num_workers=2, pin_memory=True, shuffle=True)
for batch in loader:
    x = batch["x"].to("cuda")  #! upload
    y = batch["y"].cuda(non_blocking=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)  #! scalar_read
    scaler.update()
    scale = scaler.get_scale()  #! scalar_read
    accuracies = [(y == label).float().mean().item() for label in range(4)]  #! scalar_read
