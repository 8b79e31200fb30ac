"""Objects that the program holds, wherever it does: its loaders and optimizers above all."""

from __future__ import annotations

import gc
import sys
import sysconfig
from collections.abc import Iterator
from typing import Any
from weakref import ref

from torch.optim import Optimizer
from torch.utils.data import DataLoader

from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.safety.program_values import class_name, is_a, items_of
from tbprof.model import LoaderFacts, OptimizerFacts

MOST_OF_EACH = 16
"""Kept of each kind, the first that are found."""

_COUNTS_REFERENCES = not sysconfig.get_config_var("Py_GIL_DISABLED")
"""Whether Python counts each instance of a class among the references to it."""


class LiveObjects:
    """Finds the objects of some classes, and of those derived from them, that the garbage collector knows."""

    def __init__(self, *classes: type) -> None:
        self._classes = classes
        self._found: tuple[ref[Any], ...] = ()
        self._references: list[int] = []
        """How many there were to each class when these were found."""

    def find(self) -> list[Any]:
        """The objects that the latest search has found, where none is new and none is gone since.

        To search is to go through all objects of the program, which takes some 100 ms per million. Each
        instance holds its class: with as many references to each class, and all that were found, nothing is
        new. The variables of running functions are left alone: before Python 3.13, reading them writes into
        the dictionary that the program may have taken with `locals()`.
        """
        known = [one() for one in self._found]
        is_whole = all(one is not None for one in known)
        if _COUNTS_REFERENCES and is_whole and self._references == self._count():
            return known
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        found = [one for one in gc.get_referrers(*self._kinds()) if issubclass(type(one), self._classes)]
        self._found = tuple(ref(one) for one in found)
        self._references = self._count()
        return found

    def _count(self) -> list[int]:
        return [sys.getrefcount(kind) for kind in self._kinds()]

    def _kinds(self) -> Iterator[type]:
        for one in self._classes:
            yield from _kinds_of(one)


def _kinds_of(kind: type) -> Iterator[type]:
    yield kind
    subclasses: list[type] = type.__subclasses__(kind)
    for subclass in subclasses:
        yield from _kinds_of(subclass)


_held = LiveObjects(DataLoader, Optimizer)


def live_loaders_and_optimizers(
    missing: MissingFacts,
) -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
    """The loaders and optimizers that the program holds.

    An object that does not answer, of the program's own making, is missing as `loaders` or `optimizers`.
    """
    loaders: list[LoaderFacts] = []
    optimizers: list[OptimizerFacts] = []
    for one in _held.find():
        if not issubclass(type(one), DataLoader):
            if len(optimizers) < MOST_OF_EACH:
                optimizers += missing.ask("optimizers", lambda: [_optimizer(one, missing)], [])  # noqa: B023
        elif len(loaders) < MOST_OF_EACH:
            loaders += missing.ask("loaders", lambda: [_loader(one)], [])  # noqa: B023 - asked at once
    return tuple(loaders), tuple(optimizers)


def _loader(loader: Any) -> LoaderFacts:
    given = _own_attributes(loader)
    return LoaderFacts(
        dataset=class_name(given["dataset"]),
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
    groups = [group for group in items_of(given["param_groups"]) if is_a(group, dict)]
    switches = {name: dict.get(defaults, name) if is_a(defaults, dict) else None for name in _SWITCHES}
    return OptimizerFacts(
        name=class_name(optimizer),
        **{name: value if isinstance(value, bool) else None for name, value in switches.items()},
        groups=len(groups),
        parameters=sum(1 for group in groups for _ in items_of(dict.get(group, "params"))),
    )


_SWITCHES = ("foreach", "fused", "capturable")


def _own_attributes(one: Any) -> dict[str, Any]:
    """The attributes that torch's own `__init__` has set, read without running the program's code.

    Raises:
        AttributeError: it has none of its own.
    """
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    return attributes
