import torch

torch.manual_seed(0)
device = torch.device("cuda")
model = torch.randn(3, 3, device=device) * 0.2
state = torch.zeros(3, device=device)


class Motor:
    def __init__(self):
        self.at = 0.0

    def turn(self, by):
        self.at += by
        return self.at


class Camera:
    def look(self, exposure):
        return [exposure, 0.5, 0.25]


class Radio:
    def exchange(self, message):
        return sum(message) * 0.01


left, right, camera, radio = Motor(), Motor(), Camera(), Radio()


def plan(goal):
    action = torch.zeros(3, device=device)
    for _ in range(30):
        miss = goal - model @ (state + action)
        action = action + 0.5 * miss
        if miss.norm() < 0.2:
            break
    return action


def settle(x):
    while x.abs().max() > 0.5:
        x = x * 0.5
    return x


def lock(x):
    for _ in range(5):
        x = 0.5 * (x + x.mean())
        if torch.equal(x.round(), x.round().roll(1)):
            return x
    return x


def control():
    action = settle(plan(torch.tensor([0.1, 0.2, 0.3]).to(device)))
    turned = left.turn(action[0].item())
    back = right.turn(float(action[1]))
    seen = camera.look(action[2].abs().item())
    heard = radio.exchange(lock(action).tolist())
    sensed = torch.tensor([turned, back, heard], device=device)
    picture = torch.tensor(seen, device=device)
    state.add_(0.1 * sensed + 0.01 * picture)


for _ in range(8):
    control()
