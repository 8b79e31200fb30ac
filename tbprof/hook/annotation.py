"""Labels of the user's own for parts of a step."""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType

import torch
from torch.profiler import record_function

from tbprof.hook.safety.modes import unseen_by_modes


def label_text(name: object) -> str:
    """What a name is written as: the profiler and its files take UTF-8 alone.

    What is no text is asked for its own, and half a surrogate pair becomes its escape. Never raises.
    """
    try:
        return str(name).encode("utf-8", "backslashreplace").decode()
    except Exception:  # noqa: BLE001 - the border to the user's training
        return type(name).__name__


class annotate(ContextDecorator):  # noqa: N801 - reads as a function, like torch's record_function
    """Give a part of the step a name under which the report counts it.

        with tbprof.annotate("loss"):
            loss = criterion(model(inputs), targets)

    It also decorates functions. While nothing is recorded it does next to nothing, where
    `torch.profiler.record_function` takes some 5 us.

    Args:
        name: what to call it; what is no text is called by its `str()`.
    """

    def __init__(self, name: object) -> None:
        # Compiled code records no label, and the compiler can't trace everything that has a name.
        self._name = "" if torch.compiler.is_compiling() else label_text(name)
        self._open: list[record_function | None] = []

    def __enter__(self) -> annotate:
        # In this order: the compiler can't trace the second question.
        is_recorded = not torch.compiler.is_compiling() and torch.autograd._profiler_enabled()
        is_recorded = is_recorded and torch._C._get_tracing_state() is None
        label = record_function(self._name) if is_recorded else None
        # A decorated function may call itself.
        self._open.append(label)
        if label is not None:
            with unseen_by_modes():
                label.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        label = self._open.pop()
        if label is not None:
            with unseen_by_modes():
                label.__exit__(kind, error, traceback)
