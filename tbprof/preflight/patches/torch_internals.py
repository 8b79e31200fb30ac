"""Patches of the parts of torch that ask for a device's kind: autocast, optimizers, generators, threads."""

from __future__ import annotations

import threading
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity
from torch.utils._python_dispatch import _disable_current_modes

from tbprof.preflight.device_marks import HOST, made_for_device, mark, place_of
from tbprof.preflight.patch import Patch, instead
from tbprof.preflight.watching.mode import Watch
from tbprof.preflight.watching.recording import RECORDERS, remark


def _autocast_init(original: Any) -> Any:
    """The CPU's autocast, with the type that the device would have taken."""

    @wraps(original)
    def init(self: Any, device_type: str, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
        if device_type == "cuda":
            dtype = torch.float16 if dtype is None else dtype
            device_type = "cpu"
        original(self, device_type, dtype, *args, **kwargs)

    return init


def _asks_for_cpu(original: Any) -> Any:
    """State of autocast: the device's is the CPU's."""

    @wraps(original)
    def ask(device_type: str = "cuda", *args: Any) -> Any:
        return original("cpu" if device_type == "cuda" else device_type, *args)

    return ask


def _grouped(original: Any) -> Any:
    """Torch's own grouping in C++ would call all of them the CPU's."""

    @wraps(original)
    def group(lists: list[list[Any]], with_indices: bool = False) -> Any:
        groups = {}
        for (_device, dtype), (tensors, indices) in original(lists, with_indices).items():
            for device in dict.fromkeys(tensor.device for tensor in tensors[0]):
                kept = [at for at, tensor in enumerate(tensors[0]) if tensor.device == device]
                chosen = [[column[at] for at in kept] if column else [] for column in tensors]
                groups[device, dtype] = (chosen, [indices[at] for at in kept] if with_indices else indices)
        return groups

    return group


class _GeneratorType(type(torch._C.Generator)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, torch._C.Generator)


class _Generator(torch._C.Generator, metaclass=_GeneratorType):  # type: ignore[misc]
    """Stands for `torch.Generator`: the device's draws from the CPU."""

    def __new__(cls, device: Any = "cpu") -> Any:
        made = super().__new__(cls, device="cpu")
        made._of_device = torch.device(device)
        if made._of_device.type == "cuda":
            made_for_device(made)
        return made

    @property
    def device(self) -> Any:
        return self._of_device


def _watched_thread(original: Any) -> Any:
    """A thread has no mode of the thread that started it."""

    @wraps(original)
    def bootstrap(self: threading.Thread) -> None:
        with Watch():
            original(self)

    return bootstrap


def _eager(_original: Any) -> Any:
    def compile_(model: Any = None, *_args: Any, **_options: Any) -> Any:
        remark("torch.compile was run eagerly: graph breaks and recompilations were not looked for")
        return (lambda decorated: decorated) if model is None else model

    return compile_


def _traced(original: Any) -> Any:
    """The tracer follows no value through a dispatch mode: what it runs itself is not looked at."""

    @wraps(original)
    def trace(*args: Any, **kwargs: Any) -> Any:
        with _disable_current_modes():
            return original(*args, **kwargs)

    return trace


def _without_device(original: Any) -> Any:
    """The program's own profiler: there is no device to record."""

    @wraps(original)
    def init(self: Any, *, activities: Any = None, **kwargs: Any) -> None:
        remark("torch.profiler recorded the host alone")
        original(self, activities=None if activities is None else [ProfilerActivity.CPU], **kwargs)

    return init


def _next_batch(original: Any) -> Any:
    """What a loader gives is on the host."""

    @wraps(original)
    def next_(self: Any) -> Any:
        batch = original(self)
        _mark_host(batch)
        for recorder in RECORDERS:
            recorder.used_loader = True
        return batch

    return next_


def _mark_host(batch: Any) -> None:
    if isinstance(batch, Tensor):
        if place_of(batch) is None:
            mark(batch, HOST)
    elif isinstance(batch, dict):
        for value in batch.values():
            _mark_host(value)
    elif isinstance(batch, (list, tuple)):
        for value in batch:
            _mark_host(value)


PATCHES = (
    Patch("torch.amp.autocast_mode:autocast", "__init__", _autocast_init),
    Patch("torch", "is_autocast_enabled", _asks_for_cpu),
    Patch("torch", "get_autocast_dtype", _asks_for_cpu),
    Patch("torch", "set_autocast_enabled", _asks_for_cpu),
    Patch("torch", "set_autocast_dtype", _asks_for_cpu),
    Patch("torch", "get_autocast_gpu_dtype", instead(lambda: torch.get_autocast_dtype("cuda"))),
    Patch("torch", "set_autocast_gpu_dtype", instead(lambda dtype: torch.set_autocast_dtype("cuda", dtype))),
    Patch("torch._C", "_group_tensors_by_device_and_dtype", _grouped),
    Patch("torch", "Generator", lambda _original: _Generator),
    Patch("threading:Thread", "_bootstrap_inner", _watched_thread),
    Patch("torch", "compile", _eager),
    *(Patch("torch.jit", name, _traced) for name in ("trace", "trace_module")),
    Patch("torch.profiler.profiler:_KinetoProfile", "__init__", _without_device),
    Patch("torch.utils.data.dataloader:_BaseDataLoaderIter", "__next__", _next_batch),
)
