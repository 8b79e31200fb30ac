"""A default device, the program's own profiler, DataParallel, and lengths that a loss wants on both sides."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(0)
with torch.device("cuda"), profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
    model = nn.DataParallel(nn.Linear(4, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    lengths = torch.full((2,), 6, device="cpu")
    device_lengths = torch.full((2,), 3)
    targets = torch.ones(2, 3, dtype=torch.long)
    for _step in range(8):
        log_probs = model(torch.randn(6, 2, 4)).log_softmax(2)
        loss = F.ctc_loss(log_probs, targets, lengths, device_lengths)  #! host_read
        other = F.ctc_loss(log_probs, targets, lengths, torch.full((2,), 3, device="cpu"))  #! upload
        loss.backward()
        optimizer.step()
        numbers = torch.tensor([1.0, 2.0])  #! upload
