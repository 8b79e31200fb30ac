import torch


class DelayBuffer:
    def __init__(self, device):
        self.data = torch.zeros(3, 8, device=device)
        self.pushes = torch.zeros(8, dtype=torch.long, device=device)

    def reset(self):
        self.pushes.zero_()

    def append(self, at, value):
        self.data[at % 3].copy_(value)
        if torch.any(self.pushes == 0):
            self.data.copy_(torch.where(self.pushes == 0, value, self.data))
        self.pushes.add_(1)

    def read(self, at):
        if torch.any(self.pushes == 0):
            raise RuntimeError("nothing was appended yet")
        return self.data[at % 3]


def step(buffer, kept, at):
    buffer.append(at, torch.randn(8, device=kept.device))
    kept.add_(buffer.read(at - 1))
    if at % 2 == 0:
        buffer.reset()


torch.manual_seed(0)
device = torch.device("cuda")
buffer, kept = DelayBuffer(device), torch.zeros(8, device=device)
for at in range(8):
    step(buffer, kept, at)
