"""A stand-in of torch.cuda, which answers, warns and fails as torch's sources say.

It has what the hook asks of a GPU, on the Python side; device, driver and CUPTI are not played. Each text
of a warning or an error is torch's own, with the file that it stands in beside it.
"""

from __future__ import annotations

import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Protocol, TypeVar

import torch

EVENT_MS = 5
"""Between an event and any later one."""

# torch/csrc/cuda/Module.cpp, THCPModule_cudaSetSyncDebugMode: TORCH_WARN_ONCE.
PROTOTYPE = (
    "Synchronization debug mode is a prototype feature and does not yet detect all synchronizing operations"
)
# c10/cuda/CUDAFunctions.cpp, warn_or_error_on_sync.
WAITED = "called a synchronizing CUDA operation (Triggered internally at c10/cuda/CUDAFunctions.cpp:263.)"
# torch/csrc/cuda/CUDAPluggableAllocator.cpp, getDeviceStats.
NO_STATISTICS = (
    "CUDAPluggableAllocator does not yet support getDeviceStats. If you need it, please file an issue "
    "describing your use case."
)
# cudaGetErrorString, as c10/cuda/CUDAException.cpp words it.
CAPTURING = "CUDA error: operation not permitted when stream is capturing"
STICKY = "CUDA error: device-side assert triggered"

Error: type[RuntimeError] = getattr(torch, "AcceleratorError", RuntimeError)

F = TypeVar("F", bound=Callable[..., Any])


class Patch(Protocol):
    """What is used of pytest's `monkeypatch`."""

    def setattr(self, target: object, name: str, value: object, *, raising: bool = True) -> None: ...


def counted(name: str) -> Callable[[F], F]:
    """A call of torch.cuda: it is counted, and fails where it is told to."""

    def of(function: F) -> F:
        @wraps(function)
        def called(self: Any, *arguments: Any, **options: Any) -> Any:
            cuda: StandInCuda = getattr(self, "cuda", self)
            cuda.calls[name] += 1
            error = cuda.fault(name, cuda.calls.total())
            if error is not None:
                raise error
            return function(self, *arguments, **options)

        return called  # type: ignore[return-value]

    return of


@dataclass
class StandInCuda:
    """State of a machine with GPUs, as one process sees it."""

    devices: int = 1
    current: int = 0
    contexts: set[int] = field(default_factory=lambda: {0})
    """Devices on which this process has a primary context."""
    initialized: bool = True
    pluggable: bool = False
    """Whether another allocator stands in for torch's."""
    is_capturing: bool = False
    """Whether the current stream of this thread is captured."""
    captured_elsewhere: bool = False
    """Whether another thread captures a graph, in the global mode."""
    sticky: bool = False
    """Whether a kernel has failed: every call does from then on."""
    fault: Callable[[str, int], Exception | None] = lambda name, number: None  # noqa: ARG005
    """What a call raises, by its name and its number; None where it goes well."""
    calls: Counter[str] = field(default_factory=Counter)
    modes: list[int] = field(default_factory=list)
    """Sync debug modes that were set, in order."""
    spoilt_captures: int = 0
    mode: int = 0
    is_prototype_said: bool = False
    driver_calls: int = 0

    def install(self, monkeypatch: Patch) -> StandInCuda:
        """Put it in torch's place until the test ends."""
        cuda = torch.cuda
        for name in (
            *("is_initialized", "is_available", "device_count", "current_device", "get_device_name"),
            *("get_device_properties", "memory_stats", "memory_stats_as_nested_dict", "device"),
            *("is_current_stream_capturing", "get_sync_debug_mode", "set_sync_debug_mode"),
            *("current_stream", "synchronize", "list_gpu_processes"),
        ):
            monkeypatch.setattr(cuda, name, getattr(self, name))
        monkeypatch.setattr(cuda, "Event", lambda enable_timing=False: Event(self, enable_timing))
        monkeypatch.setattr(torch._C, "_cuda_hasPrimaryContext", self.has_primary_context, raising=False)
        monkeypatch.setattr(torch.profiler, "supported_activities", self.supported_activities)
        monkeypatch.setattr(torch.backends.cudnn, "is_available", lambda: True)
        monkeypatch.setattr(torch.backends.cudnn, "version", self.cudnn_version)
        return self

    def wait(self) -> None:
        """What a kernel's result costs the host: torch says so in the mode that warns."""
        if self.mode == 1:
            warnings.warn(WAITED, UserWarning, stacklevel=2)

    @counted("is_initialized")
    def is_initialized(self) -> bool:
        return self.initialized

    @counted("is_available")
    def is_available(self) -> bool:
        self.driver_calls += 1
        return True

    @counted("device_count")
    def device_count(self) -> int:
        self.driver_calls += 1
        return self.devices

    @counted("supported_activities")
    def supported_activities(self) -> set[torch.profiler.ProfilerActivity]:
        # torch/csrc/autograd/init.cpp asks for the number of GPUs.
        self.driver_calls += 1
        return {torch.profiler.ProfilerActivity.CPU}

    def cudnn_version(self) -> int:
        # torch/backends/cudnn/__init__.py, _init, asks each device for its properties.
        self._lazy_init()
        return 91900

    @counted("current_device")
    def current_device(self) -> int:
        self._lazy_init()
        return self.current

    @counted("_cuda_hasPrimaryContext")
    def has_primary_context(self, device: int) -> bool:
        return device in self.contexts

    @counted("get_device_name")
    def get_device_name(self, device: int) -> str:
        self._lazy_init()
        return f"NVIDIA H200 {device}"

    @counted("get_device_properties")
    def get_device_properties(self, device: int) -> Any:
        self._lazy_init()
        return types.SimpleNamespace(uuid=f"00000000-0000-0000-0000-00000000000{device}")

    @counted("memory_stats")
    def memory_stats(self, device: int | None = None) -> Mapping[str, int]:
        return self._statistics(device)

    @counted("memory_stats_as_nested_dict")
    def memory_stats_as_nested_dict(self, device: int | None = None) -> Mapping[str, Any]:
        return self._statistics(device) if self.initialized else {}

    @counted("device")
    def device(self, device: int) -> Any:
        return self._on(device)

    @counted("is_current_stream_capturing")
    def is_current_stream_capturing(self) -> bool:
        self._check()
        return self.is_capturing

    @counted("get_sync_debug_mode")
    def get_sync_debug_mode(self) -> int:
        self._lazy_init()
        return self.mode

    @counted("set_sync_debug_mode")
    def set_sync_debug_mode(self, mode: int | str) -> None:
        self._lazy_init()
        self.mode = {"default": 0, "warn": 1, "error": 2}.get(mode, mode)  # type: ignore[call-overload]
        self.modes.append(self.mode)
        if not self.is_prototype_said:
            self.is_prototype_said = True
            warnings.warn(PROTOTYPE, UserWarning, stacklevel=2)

    @counted("current_stream")
    def current_stream(self, device: int | None = None) -> Any:
        self._make_context(device)
        return Stream(self)

    @counted("synchronize")
    def synchronize(self) -> None:
        self._make_context(None)
        self._check()

    @counted("list_gpu_processes")
    def list_gpu_processes(self, device: int | None = None) -> str:
        return f"GPU:{device}\nno processes are running"

    def _lazy_init(self) -> None:
        self._check()
        self.initialized = True
        self.driver_calls += 1

    def _make_context(self, device: int | None) -> None:
        self.contexts.add(self.current if device is None else device)

    def _check(self) -> None:
        if self.sticky:
            raise Error(STICKY)

    def _unsafe_call(self) -> None:
        """What is illegal while any thread captures in the global mode, and spoils its capture."""
        self._check()
        if self.is_capturing or self.captured_elsewhere:
            self.spoilt_captures += 1
            raise Error(CAPTURING)

    def _statistics(self, device: int | None) -> Mapping[str, Any]:
        self._make_context(device)
        if self.pluggable:
            raise RuntimeError(NO_STATISTICS)
        allocated = self.calls["memory_stats_as_nested_dict"]
        return {
            "num_alloc_retries": 0,
            "num_ooms": 0,
            "num_device_alloc": allocated,
            "num_device_free": 0,
            "allocated_bytes": {"all": {"current": 0, "peak": 0}},
        }

    @contextmanager
    def _on(self, device: int) -> Iterator[None]:
        before, self.current = self.current, device
        yield
        self.current = before


@dataclass
class Stream:
    cuda: StandInCuda

    @counted("Stream.query")
    def query(self) -> bool:
        self.cuda._unsafe_call()
        return True


class Event:
    """A timing event."""

    def __init__(self, cuda: StandInCuda, enable_timing: bool) -> None:
        self.cuda = cuda
        self._make(enable_timing)

    @counted("Event")
    def _make(self, enable_timing: bool) -> None:
        assert enable_timing

    @counted("Event.record")
    def record(self) -> None:
        self.cuda._check()
        self.cuda._make_context(None)

    @counted("Event.query")
    def query(self) -> bool:
        self.cuda._unsafe_call()
        return True

    @counted("Event.elapsed_time")
    def elapsed_time(self, end_event: Event) -> float:  # noqa: ARG002
        return float(EVENT_MS)
