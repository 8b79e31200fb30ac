"""Trainings that differ in what their batches are, and where these come from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from small_training import STEPS, adamw, mlp, state_of
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, IterableDataset
from watching import Watch


class Samples(Dataset[Tensor]):
    """Draws from every generator for each."""

    def __len__(self) -> int:
        return 60

    def __getitem__(self, index: int) -> Tensor:
        return (torch.randn(8) + index / 60 + random.random() + np.random.rand()).float()


class Stream(IterableDataset[Tensor]):
    """Without a length."""

    def __iter__(self) -> Iterator[Tensor]:
        for _ in range(60):
            yield torch.randn(8)


def _epochs(watch: Watch, loader: Any, take: Any = lambda batch: batch, epochs: int = 2) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(epochs):
            for batch in loader:
                optimizer.zero_grad()
                loss = model(take(batch)).pow(2).mean()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                hook.step()
    return losses, state_of(model, optimizer)


def loader(watch: Watch) -> object:
    return _epochs(watch, DataLoader(Samples(), 6, shuffle=True))


def loader_with_workers(watch: Watch) -> object:
    return _epochs(watch, DataLoader(Samples(), 6, shuffle=True, num_workers=2))


def loader_with_workers_that_stay(watch: Watch) -> object:
    return _epochs(watch, DataLoader(Samples(), 6, num_workers=1, persistent_workers=True, prefetch_factor=3))


def stream_with_workers(watch: Watch) -> object:
    return _epochs(watch, DataLoader(Stream(), 6, num_workers=1))


class Augmented(list[Tensor]):
    """Changes its tensors each time that somebody goes through it."""

    def __iter__(self) -> Iterator[Tensor]:
        for part in super().__iter__():
            yield part + torch.rand_like(part)


class TakingList(nn.Module):
    """Given a list of tensors, and goes through it."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = mlp()

    def forward(self, parts: Any) -> Tensor:
        result: Tensor = self.inner(torch.stack(list(parts)))
        return result


def _with_model(watch: Watch, model: nn.Module, make: Any) -> object:
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(make()).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(model, optimizer)


def lists_that_change_what_they_hold(watch: Watch) -> object:
    return _with_model(watch, TakingList(), lambda: Augmented(torch.randn(8) for _ in range(6)))


def loader_of_lists_that_change(watch: Watch) -> object:
    model = TakingList()
    batches = iter(DataLoader(Samples(), 3, collate_fn=Augmented))
    return _with_model(watch, model, lambda: next(batches))


class Lazy:
    """Stands for a tensor that is made when somebody first asks what it is."""

    asked = 0

    def __init__(self) -> None:
        self._made: Tensor | None = None

    def made(self) -> Tensor:
        if self._made is None:
            self._made = torch.randn(6, 8)
        return self._made

    @property
    def __class__(self) -> Any:
        Lazy.asked += 1
        torch.rand(1)
        return Tensor

    def __getattr__(self, name: str) -> Any:
        Lazy.asked += 1
        return getattr(self.made(), name)

    def __len__(self) -> int:
        Lazy.asked += 1
        return 6

    def __bool__(self) -> bool:
        Lazy.asked += 1
        return True


class TakingLazy(nn.Module):
    """Given what is no tensor yet."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = mlp()

    def forward(self, lazy: Any) -> Tensor:
        result: Tensor = self.inner(lazy.made())
        return result


def proxies_of_tensors(watch: Watch) -> object:
    return _with_model(watch, TakingLazy(), Lazy), Lazy.asked


class Record(Mapping[str, Tensor]):
    """A batch that counts how often it is looked at."""

    looks: list[str] = []  # noqa: RUF012

    def __init__(self) -> None:
        self._held = {"x": torch.randn(6, 8), "y": torch.randn(6, 4)}

    def __getitem__(self, name: str) -> Tensor:
        Record.looks.append(name)
        return self._held[name] + torch.rand(1)

    def __iter__(self) -> Iterator[str]:
        Record.looks.append("iter")
        return iter(self._held)

    def __len__(self) -> int:
        Record.looks.append("len")
        return len(self._held)

    def __bool__(self) -> bool:
        Record.looks.append("bool")
        return True


class TakingRecord(nn.Module):
    """Given a mapping."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = mlp()

    def forward(self, record: Any) -> Tensor:
        result: Tensor = self.inner(record["x"]) - record["y"]
        return result


def mappings_that_count(watch: Watch) -> object:
    return _with_model(watch, TakingRecord(), Record), Record.looks


class Settings(dict[str, Tensor]):
    """A dictionary that draws when its values are asked for."""

    def values(self) -> Any:
        torch.rand(1)
        return super().values()

    def items(self) -> Any:
        torch.rand(1)
        return super().items()


def dictionaries_that_draw(watch: Watch) -> object:
    return _with_model(watch, TakingRecord(), lambda: Settings(x=torch.randn(6, 8), y=torch.randn(6, 4)))


class Row(tuple[Tensor, ...]):
    """A tuple whose length and items are computed."""

    def __len__(self) -> int:
        torch.rand(1)
        return super().__len__()

    def __getitem__(self, index: Any) -> Any:
        torch.rand(1)
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Tensor]:
        torch.rand(1)
        return super().__iter__()


def tuples_that_draw(watch: Watch) -> object:
    return _with_model(watch, TakingList(), lambda: Row(torch.randn(8) for _ in range(6)))


def small_uploads(watch: Watch) -> object:
    """Of which the hook looks whether they are the same in each step."""
    weights = [1.0, 2.0, 0.5, 0.25]
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for step in range(STEPS):
            optimizer.zero_grad()
            scale = torch.tensor(weights).to("cpu", non_blocking=True)
            rate = torch.as_tensor(np.float32(step)).to(scale)
            loss = (model(torch.randn(6, 8)) * scale * rate).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append((float(loss), loss.item(), loss.tolist(), int(rate), bool(rate > 3), rate.numpy()))
            hook.step()
    return losses, state_of(model, optimizer)
