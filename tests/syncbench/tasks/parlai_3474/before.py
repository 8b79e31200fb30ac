import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def number_of(value):
    return value.item() if isinstance(value, torch.Tensor) else value


class AverageMetric:
    def __init__(self, numerator, denominator):
        self.numerator = number_of(numerator)
        self.denominator = number_of(denominator)

    @classmethod
    def many(cls, numerators, denominators):
        return [cls(n, d) for n, d in zip(numerators, denominators)]

    def value(self):
        return self.numerator / self.denominator


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(8, 8, device=device)
    y = torch.randint(4, (8,), device=device)
    each = nn.functional.cross_entropy(model(x), y, reduction="none")
    loss = each.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    metrics = AverageMetric.many(each.detach(), y + 1)
    print("loss", *[f"{metric.value():.4f}" for metric in metrics])
