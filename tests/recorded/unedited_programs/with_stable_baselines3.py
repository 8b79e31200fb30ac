"""PPO of Stable-Baselines3."""

import gymnasium as gym
from stable_baselines3 import PPO

model = PPO(
    "MlpPolicy", gym.make("CartPole-v1"), n_steps=64, batch_size=32, n_epochs=2, device="auto", verbose=0
)
model.learn(64 * 8)
