import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(6, device=device)


def largest_eigenvalue(matrix):
    vector, old = torch.ones(6, device=device), torch.zeros((), device=device)
    for _ in range(40):
        vector = matrix @ vector
        value = vector.norm()
        vector = vector / value
        if (value - old).abs() < 1e-2:
            break
        old = value
    return value


def conjugate_gradients(matrix, right):
    x, rest = torch.zeros_like(right), right.clone()
    direction, square = rest.clone(), rest @ rest
    while square > 1e-3:
        along = matrix @ direction
        length = square / (direction @ along)
        x, rest = x + length * direction, rest - length * along
        square, old = rest @ rest, square
        direction = rest + square / old * direction
    return x


def adaptive_euler(x, end):
    time, width = 0.0, 0.3
    while time < end:
        half = x - 0.5 * width * x
        whole, halves = x - width * x, half - 0.5 * width * half
        error = (whole - halves).abs().max().item()
        if error < 0.05:
            x, time = halves, time + width
        width = min(width * (0.9 * (0.05 / max(error, 1e-6)) ** 0.5), end - time + 1e-6)
    return x


def newton(x):
    for _ in range(20):
        value = x**3 - 2
        if torch.all(value.abs() < 1e-3):
            return x
        x = x - value / (3 * x**2)
    return x


def line_search(x, slope):
    width = 1.0
    while ((x - width * slope) ** 2).sum() > (x**2).sum() - 0.1 * width * slope @ slope:
        width /= 2
    return width


def means(points):
    centers = points[:2]
    for _ in range(10):
        nearest = torch.cdist(points, centers).argmin(1)
        moved = torch.stack([(points * (nearest == i)[:, None]).sum(0) for i in range(2)])
        moved = moved / torch.stack([(nearest == i).sum().clamp(min=1) for i in range(2)])[:, None]
        if torch.allclose(moved, centers, atol=1e-3):
            break
        centers = moved
    return centers


def accepted_samples(wanted):
    got = torch.zeros(0, device=device)
    while got.numel() < wanted:
        x = torch.rand(8, device=device)
        got = torch.cat([got, x[x < 0.6]])
    return got[:wanted]


def bisect(low, high):
    while bool((high - low).max() > 0.1):
        middle = (low + high) / 2
        low, high = torch.where(middle**2 < 2, middle, low), torch.where(middle**2 < 2, high, middle)
    return low


def solve():
    half = torch.randn(6, 6, device=device)
    matrix = half @ half.T + 6 * torch.eye(6, device=device)
    x = conjugate_gradients(matrix, torch.randn(6, device=device))
    x = adaptive_euler(x, 0.5) + largest_eigenvalue(matrix) + newton(torch.full((6,), 1.5, device=device))
    x = x + line_search(x, 2 * x) + means(torch.randn(8, 6, device=device)).mean(0)
    x = x + accepted_samples(6) + bisect(torch.zeros(6, device=device), torch.full((6,), 2.0, device=device))
    kept.add_(x)


for _ in range(8):
    solve()
