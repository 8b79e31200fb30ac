"""The program's own values, looked at without running any of its code.

A lazy proxy may run code when it is asked for its `__class__`, a batch of a class of its own when it is gone
through, a tensor of a class of its own when it is asked for its device: data would be drawn twice, and random
numbers with it. So `type()` decides, and torch's and Python's own methods read.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

_PLAIN = (Tensor, torch.nn.Parameter)
_GET_DEVICE = Tensor.device.__get__
_GET_DTYPE = Tensor.dtype.__get__
_GET_REQUIRES_GRAD = Tensor.requires_grad.__get__


def is_a(value: Any, *kinds: type) -> bool:
    """Whether it is of one of these classes, or of one derived from them."""
    return issubclass(type(value), kinds)


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor, of whatever class."""
    return issubclass(type(value), Tensor)


def is_plain_tensor(value: Any) -> bool:
    """Whether it is a tensor of torch's own class, or a parameter."""
    return type(value) in _PLAIN


def items_of(value: Any) -> Iterator[Any]:
    """The items of a list or a tuple, and the values of a dictionary; of anything else, none."""
    kind = type(value)
    if issubclass(kind, list):
        return list.__iter__(value)
    if issubclass(kind, tuple):
        return tuple.__iter__(value)
    return iter(dict.values(value)) if issubclass(kind, dict) else iter(())


def device_of(tensor: Tensor) -> torch.device:
    """Where torch has it."""
    device: torch.device = _GET_DEVICE(tensor)
    return device


def dtype_of(tensor: Tensor) -> torch.dtype:
    """The type of its elements."""
    dtype: torch.dtype = _GET_DTYPE(tensor)
    return dtype


def rank_of(tensor: Tensor) -> int:
    """The number of its dimensions."""
    return int(Tensor.dim(tensor))


def needs_gradient(tensor: Tensor) -> bool:
    """Whether torch differentiates it."""
    return bool(_GET_REQUIRES_GRAD(tensor))


def storage_of(tensor: Tensor) -> Any:
    """Its storage.

    Raises:
        NotImplementedError, RuntimeError: It has none of its own, being sparse or made of other tensors.
    """
    return Tensor.untyped_storage(tensor)


QUIET_VARIABLE = "TBPROF_QUIET"
"""Of the environment: set to anything but 0, no such line is shown."""

_FORM = "tbprof: %(message)s"

logger = logging.getLogger("tbprof")


def say(text: str, *values: object) -> None:
    """Hand a line to the program's own handlers, once; on stderr where it has none.

    It is a result that was asked for, and no warning. So it passes a root logger that was left at
    WARNING, and not one of the name `tbprof` that was set to it.
    """
    if _is_silenced():
        return
    line = logger.makeRecord(logger.name, logging.INFO, __file__, 0, text, values, None, func="say")
    if _has_other_handlers():
        logger.handle(line)
    else:
        stderr_handler().handle(line)


def stderr_handler() -> logging.Handler:
    """What gives lines their form where the program has no handler of its own for them."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(_FORM))
    return handler


def _is_silenced() -> bool:
    is_quiet = os.environ.get(QUIET_VARIABLE, "0") not in ("", "0")
    is_off = logger.disabled or logger.level > logging.INFO or logger.manager.disable >= logging.INFO
    return is_quiet or is_off


class _LastResort(logging.Handler):
    """Shows warnings where nobody else does, as Python would, and with our name before them."""

    def emit(self, record: logging.LogRecord) -> None:
        # A program that took Python's own away wants none.
        if logging.lastResort is not None and not _has_other_handlers():
            stderr_handler().handle(record)


_LAST_RESORT = _LastResort(logging.WARNING)
logger.addHandler(_LAST_RESORT)


def _has_other_handlers() -> bool:
    """Whether the program, or `tbprof run`, shows our lines."""
    if any(handler is not _LAST_RESORT for handler in logger.handlers):
        return True
    return logger.propagate and logger.parent is not None and logger.parent.hasHandlers()
