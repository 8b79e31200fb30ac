import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(24 * 32, 3, device=device)


def render(view, depth):
    camera = view.inverse()
    size = torch.tensor([[20.0, 0, 16], [0, 20, 12], [0, 0, 1]]).to(device)
    at = torch.arange(24 * 32, device=device)
    width = torch.tensor(32, device=device)
    points = torch.stack([at % width, at // width, torch.ones_like(at)], -1).float()
    rays = points @ size.inverse().T @ camera[:3, :3].T
    kept.add_(rays * depth)


for _ in range(8):
    view = torch.eye(4, device=device) + 0.1 * torch.randn(4, 4, device=device)
    render(view, torch.rand(24 * 32, 1, device=device))
