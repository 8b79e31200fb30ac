import torch

torch.manual_seed(0)
device = torch.device("cuda")
joints = torch.zeros(16, 6, device=device)
targets = torch.randn(16, 6, device=device)
bodies = torch.randn(16, 5, 3, device=device)
reward = torch.zeros(16, device=device)
actuated = [0, 2, 3, 5]
fingers = [1, 4]


def substep():
    delta = targets[:, actuated] - joints[:, actuated]
    joints[:, actuated] += 0.1 * delta
    tips = bodies[:, fingers]
    reward.add_(tips.sum((1, 2)) - delta.square().sum(1))


def step():
    for _ in range(2):
        substep()


for _ in range(8):
    step()
