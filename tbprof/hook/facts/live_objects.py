"""The DataLoaders and optimizers of the program that are alive."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from torch.optim import Optimizer
from torch.utils.data import DataLoader

from tbprof.hook.safety.missing_facts import MissingFacts
from tbprof.model import LoaderFacts, OptimizerFacts

MOST_OF_EACH = 16
"""Kept of each kind, the first that are found."""


def live_loaders_and_optimizers(
    missing: MissingFacts,
) -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
    """The loaders and optimizers that the program holds, wherever, the oldest first.

    The garbage collector finds them by their classes, some 100 ms per million objects. The variables of
    running functions are left alone: before Python 3.13, reading them writes into the dictionary that the
    program may have taken with `locals()`. An object that does not answer, of the program's own making, is
    missing as `loaders` or `optimizers`.
    """
    loaders: list[LoaderFacts] = []
    optimizers: list[OptimizerFacts] = []
    for candidate in gc.get_referrers(*_kinds_of(DataLoader), *_kinds_of(Optimizer)):
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        kind = type(candidate)
        if issubclass(kind, DataLoader) and len(loaders) < MOST_OF_EACH:
            loaders += missing.ask("loaders", lambda: [_loader(candidate)], [])  # noqa: B023 - asked at once
        elif issubclass(kind, Optimizer) and len(optimizers) < MOST_OF_EACH:
            optimizers += missing.ask("optimizers", lambda: [_optimizer(candidate, missing)], [])  # noqa: B023
    return tuple(loaders), tuple(optimizers)


def _kinds_of(kind: type) -> Iterator[type]:
    yield kind
    subclasses: list[type] = type.__subclasses__(kind)
    for subclass in subclasses:
        yield from _kinds_of(subclass)


def _loader(loader: Any) -> LoaderFacts:
    given = _own_attributes(loader)
    return LoaderFacts(
        dataset=type(given["dataset"]).__name__,
        batch_size=given["batch_size"],
        num_workers=given["num_workers"],
        pin_memory=given["pin_memory"],
        prefetch_factor=given["prefetch_factor"],
        persistent_workers=given["persistent_workers"],
    )


def _optimizer(optimizer: Any, missing: MissingFacts) -> OptimizerFacts:
    given = _own_attributes(optimizer)
    # One that wraps another may have no defaults, and one of the user's own none of torch's switches.
    defaults: Any = missing.ask("optimizers", lambda: given["defaults"], {})
    switches = {name: defaults.get(name) for name in ("foreach", "fused", "capturable")}
    return OptimizerFacts(
        name=type(optimizer).__name__,
        **{name: value if isinstance(value, bool) else None for name, value in switches.items()},
        groups=len(given["param_groups"]),
        parameters=sum(len(group["params"]) for group in given["param_groups"]),
    )


def _own_attributes(one: Any) -> dict[str, Any]:
    """The attributes that torch's own `__init__` has set, read without running the program's code.

    Raises:
        AttributeError: it has none of its own.
    """
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    return attributes
