"""The loaders and optimizers that the program holds, wherever it does."""

from __future__ import annotations

import gc
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import ref

from torch.optim import Optimizer
from torch.utils.data import DataLoader

from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.safety.program_values import items_of
from tbprof.model import LoaderFacts, OptimizerFacts

MOST_OF_EACH = 16
"""Kept of each kind, the first that are found."""

_COUNTS_REFERENCES = not sysconfig.get_config_var("Py_GIL_DISABLED")
"""Whether Python counts each instance of a class among the references to it."""


def live_loaders_and_optimizers(
    missing: MissingFacts,
) -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
    """The loaders and optimizers that the program holds.

    An object that does not answer, of the program's own making, is missing as `loaders` or `optimizers`.
    """
    loaders: list[LoaderFacts] = []
    optimizers: list[OptimizerFacts] = []
    for one in _live_objects():
        if issubclass(type(one), DataLoader):
            loaders += missing.ask("loaders", lambda: [_loader(one)], [])  # noqa: B023 - asked at once
        else:
            optimizers += missing.ask("optimizers", lambda: [_optimizer(one, missing)], [])  # noqa: B023
    return tuple(loaders), tuple(optimizers)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search has found."""

    objects: tuple[ref[Any], ...]
    references: list[int]
    """How many there were then to each class that was looked for."""


_latest: list[_Found] = []
"""The latest search of this process, if there was one."""


def _live_objects() -> list[Any]:
    """The objects of the latest search, where none is new and none is gone since.

    To search is to go through all objects of the program, which takes some 100 ms per million. Each instance
    holds its class: with as many references to each class, and all that were found, nothing is new.
    """
    references = [sys.getrefcount(kind) for kind in _kinds()]
    if _latest and _COUNTS_REFERENCES and _latest[0].references == references:
        objects = [known() for known in _latest[0].objects]
        if all(one is not None for one in objects):
            return objects
    found = _searched()
    _latest[:] = [_Found(tuple(ref(one) for one in found), [sys.getrefcount(kind) for kind in _kinds()])]
    return found


def _searched() -> list[Any]:
    """The garbage collector finds them by their classes.

    The variables of running functions are left alone: before Python 3.13, reading them writes into the
    dictionary that the program may have taken with `locals()`.
    """
    found: dict[type, list[Any]] = {DataLoader: [], Optimizer: []}
    for candidate in gc.get_referrers(*_kinds()):
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        for kind, kept in found.items():
            if issubclass(type(candidate), kind) and len(kept) < MOST_OF_EACH:
                kept.append(candidate)
    return [*found[DataLoader], *found[Optimizer]]


def _kinds() -> Iterator[type]:
    yield from _kinds_of(DataLoader)
    yield from _kinds_of(Optimizer)


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
    groups = [group for group in items_of(given["param_groups"]) if type(group) is dict]
    switches = {name: dict.get(defaults, name) if type(defaults) is dict else None for name in _SWITCHES}
    return OptimizerFacts(
        name=type(optimizer).__name__,
        **{name: value if isinstance(value, bool) else None for name, value in switches.items()},
        groups=len(groups),
        parameters=sum(1 for group in groups for _ in items_of(group["params"])),
    )


_SWITCHES = ("foreach", "fused", "capturable")


def _own_attributes(one: Any) -> dict[str, Any]:
    """The attributes that torch's own `__init__` has set, read without running the program's code.

    Raises:
        AttributeError: it has none of its own.
    """
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    return attributes
