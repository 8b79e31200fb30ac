"""The DataLoaders and optimizers of the program, found from the functions that are running."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import torch
from torch.optim import Optimizer
from torch.utils.data import DataLoader

from tbprof.hook.safety.missing_facts import MissingFacts
from tbprof.model import LoaderFacts, OptimizerFacts

__all__ = ["live_loaders_and_optimizers"]

MOST_OF_EACH = 16
"""Of each kind, the first that are found."""

MOST_OBJECTS = 20_000
"""That are looked at, some 5 ms. All of a program are hundreds of thousands, and take 100 ms."""

_LEAVES = (
    *(ModuleType, type, FunctionType, BuiltinFunctionType, CodeType),
    *(str, bytes, int, float, torch.Tensor, torch.nn.Module),
)
"""What holds no DataLoader and no optimizer of the training, and often much else."""

_NOBODY_ELSE_S = 3
"""References to a copy of a function's variables: the function's, ours, and that of the counting."""


def live_loaders_and_optimizers(
    missing: MissingFacts,
) -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
    """Those in the variables of the running functions, and in what these hold; the nearest first.

    One that does not answer, of the program's own making, is missing as `loaders` or `optimizers`.
    """
    loaders: list[LoaderFacts] = []
    optimizers: list[OptimizerFacts] = []
    for candidate in _near(sys._getframe(1)):
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        kind = type(candidate)
        if issubclass(kind, DataLoader) and len(loaders) < MOST_OF_EACH:
            loaders += missing.ask("loaders", lambda: [_loader(candidate)], [])  # noqa: B023 - asked at once
        elif issubclass(kind, Optimizer) and len(optimizers) < MOST_OF_EACH:
            optimizers += missing.ask("optimizers", lambda: [_optimizer(candidate, missing)], [])  # noqa: B023
    return tuple(loaders), tuple(optimizers)


def _near(frame: FrameType | None) -> Iterator[Any]:
    """Objects that can be reached from a frame and those around it, each once, layer by layer."""
    reached: list[Any] = []
    while frame is not None:
        reached += _variables(frame)
        frame = frame.f_back
    seen: set[int] = set()
    while reached and len(seen) < MOST_OBJECTS:
        layer = []
        for candidate in reached:
            if id(candidate) not in seen and _may_hold_one(candidate):
                seen.add(id(candidate))
                layer.append(candidate)
        yield from layer
        # Asks the interpreter and none of the program's own code.
        reached = gc.get_referents(*layer)


def _may_hold_one(candidate: Any) -> bool:
    # What the garbage collector does not track refers to no object that it does, such as these are.
    return gc.is_tracked(candidate) and not issubclass(type(candidate), _LEAVES)


def _variables(frame: FrameType) -> list[Any]:
    namespace = frame.f_locals
    variables = list(namespace.values())
    is_copy = sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED
    if is_copy and sys.getrefcount(namespace) == _NOBODY_ELSE_S:
        # Python keeps it with the function, and with it this step's tensors.
        namespace.clear()
    return variables


def _loader(loader: Any) -> LoaderFacts:
    return LoaderFacts(
        dataset=type(loader.dataset).__name__,
        batch_size=loader.batch_size,
        num_workers=loader.num_workers,
        pin_memory=loader.pin_memory,
        prefetch_factor=loader.prefetch_factor,
        persistent_workers=loader.persistent_workers,
    )


def _optimizer(optimizer: Any, missing: MissingFacts) -> OptimizerFacts:
    # One that wraps another may have no defaults, and one of the user's own none of torch's switches.
    defaults: Any = missing.ask("optimizers", lambda: optimizer.defaults, {})
    switches = {name: defaults.get(name) for name in ("foreach", "fused", "capturable")}
    return OptimizerFacts(
        name=type(optimizer).__name__,
        **{name: value if isinstance(value, bool) else None for name, value in switches.items()},
        groups=len(optimizer.param_groups),
        parameters=sum(len(group["params"]) for group in optimizer.param_groups),
    )
