import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
import random

policy = nn.Linear(3, 2).to(device)
value = nn.Linear(3, 1).to(device)
kept = torch.zeros(3, device=device)
draw = random.Random(0)


class Game:
    def __init__(self, players):
        self.places = [[0.0, 0.0, 1.0] for _ in range(players)]

    def step(self, actions):
        for place, action in zip(self.places, actions):
            place[0] += 0.1 if action else -0.1
            place[1] = draw.random()
        return self.places, [place[1] > 0.9 for place in self.places]

    def reset(self, player):
        self.places[player] = [0.0, 0.0, 1.0]


class Robot:
    def move(self, joint, angle):
        return joint + angle


class Replay:
    def __init__(self):
        self.priorities = {}

    def update(self, at, priority):
        self.priorities[at] = priority

    def sample(self):
        return max(self.priorities, key=self.priorities.get)


game, robot, replay = Game(4), Robot(), Replay()


@torch.no_grad()
def play(step):
    observed = torch.tensor(game.places, device=device)
    logits = policy(observed)
    places, done = game.step(logits.argmax(1).cpu().numpy())
    after = torch.tensor(places, device=device)
    surprise = (value(after) - value(observed)).abs().squeeze(1)
    for at, priority in enumerate(surprise.tolist()):
        replay.update((step, at), priority)
    chosen = replay.sample()
    angle = torch.tanh(logits[0, 0])
    reached = robot.move(0.5, float(angle))
    grip = robot.move(0.1, logits[0, 1].item())
    for player, over in enumerate(done):
        if over:
            game.reset(player)
    kept.add_(after.mean(0) + reached + grip + chosen[1])


for step in range(8):
    play(step)
