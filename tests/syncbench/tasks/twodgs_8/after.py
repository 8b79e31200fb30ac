import torch

torch.manual_seed(0)
device = torch.device("cuda")
kept = torch.zeros(24 * 32, 3, device=device)


def render(view, depth):
    camera = view.inverse()
    size = torch.tensor([[20.0, 0, 16], [0, 20, 12], [0, 0, 1]]).float().cuda()
    columns, rows = torch.meshgrid(torch.arange(32).cuda(), torch.arange(24).cuda(), indexing="xy")
    points = torch.stack([columns, rows, torch.ones_like(columns)], -1).reshape(-1, 3).float().cuda()
    rays = points @ size.inverse().T @ camera[:3, :3].T
    kept.add_(depth * rays + camera[:3, 3])


for _ in range(8):
    view = torch.eye(4, device=device) + 0.1 * torch.randn(4, 4, device=device)
    render(view, torch.rand(24 * 32, 1, device=device))
