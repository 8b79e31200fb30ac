"""What an operator of the CPU allocates while it runs, beyond what is there before it.

Some need far more than their results: the backward of a convolution copies its tensors into another layout.
Nothing of that becomes a storage that could be followed; only the allocator sees it, and tells a profiler.
torch's older one is used: it takes 0.1 ms a call, and prints nothing. Each operator is asked once for each
set of shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

_MOST_SIGNATURES = 5_000


class InsideOperators:
    """The most that each operator had allocated at one moment, its results with it."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}
        self._begin = _profiler_of_allocations()

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]
    ) -> tuple[Any, int]:
        """The operator's result, and the bytes; 0 where they can't be known."""
        key = (function, _signature(args), _signature(options.values()))
        known = self._known.get(key)
        if known is not None or self._begin is None or len(self._known) >= _MOST_SIGNATURES:
            return function(*args, **options), known or 0
        if torch.autograd._profiler_enabled():
            return function(*args, **options), 0
        self._begin()
        try:
            result = function(*args, **options)
        finally:
            events = torch._C._autograd._disable_profiler_legacy()
        self._known[key] = inside = _most(events)
        return result, inside


def _profiler_of_allocations() -> Callable[[], None] | None:
    """What begins it; None in a torch that has no such profiler any more."""
    try:
        enable = torch._C._autograd._enable_profiler_legacy
        profiling = torch._C._profiler
        settings = (False, True, False, False, False, profiling._ExperimentalConfig())
        config = profiling.ProfilerConfig(profiling.ProfilerState.CPU, *settings)
    except (AttributeError, TypeError):
        return None
    return lambda: enable(config)


def _signature(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(_of_one, values))


def _of_one(value: Any) -> Any:
    if isinstance(value, Tensor):
        if value.layout is not torch.strided:
            return str(value.layout), value.dtype, tuple(value.shape), value._nnz() if value.is_sparse else 0
        return value.dtype, tuple(value.shape), value.stride()
    return _signature(value) if isinstance(value, list | tuple) else str(value)


def _most(threads: Iterable[Iterable[Any]]) -> int:
    now = most = 0
    for event in (event for events in threads for event in events):
        if event.kind() == "memory_alloc":
            now += event.cpu_memory_usage()
            most = max(most, now)
    return most
