"""Trainings that differ in how weights are changed."""

from __future__ import annotations

import copy
from typing import Any

import torch
from small_training import STEPS, adamw, mlp, state_of, train, train_with
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from watching import Watch


def plain(watch: Watch) -> object:
    return train_with(watch)


def sgd_with_momentum_for_each_tensor(watch: Watch) -> object:
    return train_with(watch, optimizer=lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, foreach=False))


def fused_adam(watch: Watch) -> object:
    return train_with(watch, optimizer=lambda p: torch.optim.Adam(p, lr=0.01, fused=True))


def stepping_out_of_hooks_of_optimizers(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        handle = register_optimizer_step_post_hook(lambda *_: hook.step())
        try:
            losses = train(_NoHook(), model, optimizer)
        finally:
            handle.remove()
    return losses, state_of(model, optimizer)


class _NoHook:
    def step(self) -> None:
        """Leave that to the optimizer's."""


def lbfgs(watch: Watch) -> object:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5, line_search_fn="strong_wolfe")
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            inputs = torch.randn(20, 8)

            def closure(inputs: torch.Tensor = inputs) -> torch.Tensor:
                optimizer.zero_grad()
                loss = (model(inputs) - inputs.sum(1, keepdim=True)).pow(2).mean()
                loss.backward()
                return loss

            losses.append(float(optimizer.step(closure)))
            hook.step()
    return losses, state_of(model, optimizer)


def sparse_adam(watch: Watch) -> object:
    model = nn.EmbeddingBag(50, 8, sparse=True)
    optimizer = torch.optim.SparseAdam(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(torch.randint(0, 50, (4, 6))).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    return losses, dict(model.state_dict()), optimizer.state_dict()


def optimizer_in_backward(watch: Watch) -> object:
    """As the tutorial has it that saves the memory of gradients."""
    model = mlp()
    optimizers = {p: torch.optim.SGD([p], lr=0.01, momentum=0.9) for p in model.parameters()}

    def step(parameter: torch.Tensor) -> None:
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            loss = model(torch.randn(6, 8)).pow(2).mean()
            loss.backward()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(model, *optimizers.values())


def gan(watch: Watch) -> object:
    generator, critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Sequential(nn.Linear(8, 1))
    one, other = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            fake = generator(torch.randn(6, 4))
            other.zero_grad()
            loss = critic(fake.detach()).mean() - critic(torch.randn(6, 8)).mean()
            loss.backward()
            other.step()
            one.zero_grad()
            (-critic(fake).mean()).backward()
            one.step()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(generator, one), state_of(critic, other)


def averages_of_weights(watch: Watch) -> object:
    model = mlp()
    averaged = AveragedModel(model)
    slow = copy.deepcopy(model)
    optimizer = adamw(model.parameters())
    scheduler = SWALR(optimizer, swa_lr=0.05, anneal_epochs=4)
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            losses += train(_Nothing(), model, optimizer, steps=1)
            averaged.update_parameters(model)
            scheduler.step()
            with torch.no_grad():
                for kept, new in zip(slow.parameters(), model.parameters(), strict=True):
                    kept.lerp_(new, 0.1)
            hook.step()
        update_bn([torch.randn(6, 8)], averaged)
    return losses, state_of(model, optimizer), state_of(averaged), state_of(slow)


class _Nothing:
    def step(self) -> None:
        pass


def mixed_precision(watch: Watch) -> object:
    model, scaler = mlp(), torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=3)
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = model(torch.randn(6, 8)).float().pow(2).mean()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append((loss.item(), norm.item(), scaler.get_scale()))
            hook.step()
    return losses, state_of(model, optimizer), scaler.state_dict()


def accumulated_gradients(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            for _ in range(3):
                loss = model(torch.randn(6, 8)).pow(2).mean() / 3
                loss.backward()
                losses.append(loss.item())
            nn.utils.clip_grad_value_(model.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()
            hook.step()
    return losses, state_of(model, optimizer)


def reinforcement(watch: Watch) -> object:
    """A rollout, and the keeping of settings as people do it."""

    def run(lr: float = 0.01, gamma: float = 0.9) -> tuple[dict[str, Any], object]:
        config = locals()
        policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        optimizer = torch.optim.Adam(policy.parameters(), lr=lr)
        rewards = []
        with watch() as hook:
            for _ in range(STEPS):
                state, steps = torch.randn(4), []
                for _ in range(5):
                    choice = torch.distributions.Categorical(logits=policy(state))
                    action = choice.sample()
                    steps.append((choice.log_prob(action), float(action.item() == (state[0] > 0).item())))
                    state = torch.randn(4) * gamma
                rewards.append(sum(reward for _, reward in steps))
                optimizer.zero_grad()
                (-torch.stack([chance * reward for chance, reward in steps]).sum()).backward()
                optimizer.step()
                hook.step()
        return config, (rewards, state_of(policy, optimizer))

    config, result = run()
    print(sorted(config))
    return result


def parameter_groups_that_change(watch: Watch) -> object:
    model, head = mlp(), nn.Linear(4, 4)
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for step in range(STEPS):
            if step == 5:
                optimizer.add_param_group({"params": head.parameters(), "lr": 0.5})
            if step == 9:
                model.requires_grad_(False)
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            loss = head(model(torch.randn(6, 8))).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(model, optimizer), state_of(head)


def own_optimizer(watch: Watch) -> object:
    class Sign(torch.optim.Optimizer):
        def __init__(self, parameters: Any) -> None:
            super().__init__(parameters, {"lr": 0.01})

        @torch.no_grad()
        def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ARG002
            for group in self.param_groups:
                for parameter in group["params"]:
                    parameter.add_(parameter.grad.sign(), alpha=-group["lr"])
                    self.state[parameter]["steps"] = self.state[parameter].get("steps", 0) + 1

    return train_with(watch, optimizer=Sign)
