"""PPO of Stable-Baselines3 with tbprof's callback: a step is a rollout and its update.

python examples/frameworks/stable_baselines3_ppo.py logs/ppo
"""

from __future__ import annotations

import sys

from stable_baselines3 import PPO

from tbprof import Schedule, TrainerHook
from tbprof.integrations.stable_baselines3 import TbprofCallback

if __name__ == "__main__":
    logdir = sys.argv[1] if len(sys.argv) > 1 else "logs/ppo"
    hook = TrainerHook(logdir, schedule=Schedule(skip_first=2, warmup=1, active=2))
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2)
    model.learn(8 * 64, callback=TbprofCallback(hook))
