"""The DataLoaders and optimizers of the program, found where Python keeps its objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from torch.optim import Optimizer
from torch.utils.data import DataLoader

from tbprof.model import LoaderFacts, OptimizerFacts

__all__ = ["living_loaders_and_optimizers"]

MOST_OF_EACH = 16
"""Of each kind, the first that are found."""


def living_loaders_and_optimizers() -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
    """Those alive now; some 60 ms for each million objects of the program."""
    loaders: list[LoaderFacts] = []
    optimizers: list[OptimizerFacts] = []
    for candidate in _instances(DataLoader, Optimizer):
        if isinstance(candidate, DataLoader) and len(loaders) < MOST_OF_EACH:
            loaders.append(_loader(candidate))
        elif isinstance(candidate, Optimizer) and len(optimizers) < MOST_OF_EACH:
            optimizers.append(_optimizer(candidate))
    return tuple(loaders), tuple(optimizers)


def _instances(*kinds: type) -> Iterator[Any]:
    # type() and not isinstance(): a proxy's __class__ may run code of its own.
    return (candidate for candidate in gc.get_objects() if issubclass(type(candidate), kinds))


def _loader(loader: Any) -> LoaderFacts:
    return LoaderFacts(
        dataset=type(loader.dataset).__name__,
        batch_size=loader.batch_size,
        num_workers=loader.num_workers,
        pin_memory=loader.pin_memory,
        prefetch_factor=loader.prefetch_factor,
        persistent_workers=loader.persistent_workers,
    )


def _optimizer(optimizer: Any) -> OptimizerFacts:
    # An optimizer of the user's own need not have torch's switches.
    switches = {name: optimizer.defaults.get(name) for name in ("foreach", "fused", "capturable")}
    return OptimizerFacts(
        name=type(optimizer).__name__,
        **{name: value if isinstance(value, bool) else None for name, value in switches.items()},
        groups=len(optimizer.param_groups),
        parameters=sum(len(group["params"]) for group in optimizer.param_groups),
    )
