"""Trainings of Stable-Baselines3 with the callback."""

from __future__ import annotations

import sys
from pathlib import Path

from recordings import recorded, recorded_beside_a_profiler

from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback

import tbprof
from tbprof.integrations.stable_baselines3 import TbprofCallback

FOLDER = Path(sys.argv[1])


class Fails(BaseCallback):
    def _on_step(self) -> bool:
        if self.num_timesteps == 16 * 7:
            raise ValueError("diverged")
        return True


def policy() -> PPO:
    return PPO("MlpPolicy", "CartPole-v1", n_steps=16, batch_size=16, n_epochs=2, seed=0, device="cpu")


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    """12 rollouts of 16 steps of the environment, each with two updates."""
    model = policy()
    model.learn(12 * 16, callback=None if hook is None else TbprofCallback(hook))
    return [parameter.sum().item() for parameter in model.policy.parameters()]


def folds(hook: tbprof.TrainerHook) -> None:
    model, callback = policy(), TbprofCallback(hook)
    for _ in range(3):
        model.learn(6 * 16, callback=callback, reset_num_timesteps=False)


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        policy().learn(20 * 16, callback=[TbprofCallback(hook), Fails()])
    except ValueError as error:
        return str(error)
    return ""


def off_policy(hook: tbprof.TrainerHook) -> None:
    """Four steps of the environment, then an update."""
    model = DQN(
        "MlpPolicy", "CartPole-v1", learning_starts=0, train_freq=4, batch_size=4, seed=0, device="cpu"
    )
    model.learn(12 * 4, callback=TbprofCallback(hook))


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded(FOLDER, "off policy", off_policy)
recorded_beside_a_profiler(FOLDER, accumulating)
