"""`torch.cuda` and `torch.accelerator` as a machine with one idle GPU would answer, as patches.

Memory is never used and has no figures; random numbers of the device are drawn from the CPU's
generator, so that seeding and saving it are left to the CPU's own calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from types import SimpleNamespace, TracebackType
from typing import Any
from weakref import WeakValueDictionary

import torch

from tbprof.errors import NotSupported
from tbprof.preflight.device_marks import current, device_count
from tbprof.preflight.patch import Patch, instead
from tbprof.preflight.watching import copies, streams
from tbprof.preflight.watching.recording import Event as Noted
from tbprof.preflight.watching.recording import note


def synchronize(device: Any = None) -> None:  # noqa: ARG001 - as torch has it
    """Noted as a wait of the host for the device."""
    note(Noted("synchronize", "synchronize", ()))
    streams.host_waited_for_all()
    copies.forget_all()


def empty_cache() -> None:
    """Noted as a wait: memory goes back to the driver when the device has done its work."""
    note(Noted("synchronize", "empty_cache", ()))


class Stream:
    """Stands for `torch.cuda.Stream`."""

    def __init__(self, device: Any = None, priority: int = 0, **_identity: Any) -> None:
        self.device = torch.device(
            "cuda", current.index if device is None else torch.device(device).index or 0
        )
        self.device_index = self.device.index
        self.priority = priority
        self.stream_id = self.cuda_stream = 0
        self.number = streams.new_stream()
        _STREAMS[self.number] = self
        self._before: list[int] = []

    def synchronize(self) -> None:
        _waited(streams.clock_of(self.number))

    def query(self) -> bool:
        """All work is done as soon as it is begun."""
        streams.host_waited(streams.clock_of(self.number))
        copies.forget_all()
        return True

    def is_capturing(self) -> bool:
        return False

    def wait_stream(self, stream: Any) -> None:
        streams.wait(self.number, streams.clock_of(_number_of(stream)))

    def wait_event(self, event: Any) -> None:
        event.wait(self)

    def record_event(self, event: Event | None = None) -> Event:
        recorded = event or Event()
        recorded.record(self)
        return recorded

    def __enter__(self) -> Stream:
        self._before.append(streams.set_current(self.number))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        streams.set_current(self._before.pop())


class ExternalStream(Stream):
    """Stands for a stream that another library made."""

    def __init__(self, stream_ptr: int, device: Any = None, **_options: Any) -> None:
        super().__init__(device)
        self.cuda_stream = stream_ptr


class Event:
    """Stands for `torch.cuda.Event`."""

    def __init__(self, *_options: Any, **_named: Any) -> None:
        self._clock = streams.Clock()

    def record(self, stream: Any = None) -> None:
        self._clock = streams.clock_of(_number_of(stream))

    def wait(self, stream: Any = None) -> None:
        streams.wait(_number_of(stream), self._clock)

    def query(self) -> bool:
        """All work is done as soon as it is begun; whoever asks may read what was copied."""
        streams.host_waited(self._clock)
        copies.forget_all()
        return True

    def synchronize(self) -> None:
        _waited(self._clock)

    def elapsed_time(self, end_event: Any) -> float:  # noqa: ARG002 - as torch has it
        """No time is known; 1 ms keeps a division by it alive."""
        return 1.0


class StreamContext:
    """Stands for `torch.cuda.stream(...)`."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.stream is not None:
            self.stream.__exit__(kind, error, trace)


_STREAMS: WeakValueDictionary[int, Stream] = WeakValueDictionary()
"""The streams that are alive, by their numbers."""

_DEFAULT: list[Stream] = []


def default_stream(device: Any = None) -> Stream:  # noqa: ARG001 - as torch has it
    if not _DEFAULT:
        _DEFAULT.append(Stream())
        _DEFAULT[0].number = streams.DEFAULT
    return _DEFAULT[0]


def current_stream(device: Any = None) -> Stream:
    """The stream of this thread; all work is done in the order of the program all the same."""
    return _STREAMS.get(streams.current()) or default_stream(device)


def set_stream(stream: Any) -> None:
    streams.set_current(_number_of(stream))


def _number_of(stream: Any) -> int:
    return streams.current() if stream is None else getattr(stream, "number", streams.DEFAULT)


def _waited(clock: streams.Clock) -> None:
    note(Noted("synchronize", "synchronize", ()))
    streams.host_waited(clock)
    copies.forget_all()


class CUDAGraph:
    """Says that graphs can't be recorded."""

    def __new__(cls, *_args: Any, **_kwargs: Any) -> CUDAGraph:
        raise NotSupported(
            "preflight can't record CUDA graphs, which need a GPU: turn them off for this run, or put "
            "something in place of what makes them with --stub"
        )


_MEMORY_BYTES = 80 << 30

_PROPERTIES = SimpleNamespace(
    name="preflight (no GPU)",
    major=9,
    minor=0,
    total_memory=_MEMORY_BYTES,
    multi_processor_count=132,
    warp_size=32,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536,
    shared_memory_per_block=49152,
    shared_memory_per_block_optin=232448,
    shared_memory_per_multiprocessor=233472,
    L2_cache_size=52428800,
    gcnArchName="",
    uuid="",
    is_integrated=0,
    is_multi_gpu_board=0,
)


class _Device:
    """Stands for `torch.cuda.device`: the device for as long as it is entered."""

    def __init__(self, device: Any) -> None:
        self.idx = _index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = current.index
        _set_device(self.idx)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        current.index = self.prev_idx


class _DeviceOf(_Device):
    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if getattr(obj, "is_cuda", False) else -1)


def _index(device: Any) -> int:
    if device is None:
        return current.index
    if isinstance(device, int):
        return device
    named = torch.device(device)
    return current.index if named.index is None else int(named.index)


def _set_device(device: Any) -> None:
    index = _index(device)
    if index >= 0:
        current.index = index


def _exchange_device(device: int) -> int:
    before = current.index
    _set_device(device)
    return before


def _returning(value: Any) -> Callable[[Any], Any]:
    def answer(*_args: Any, **_kwargs: Any) -> Any:
        return value

    return instead(answer)


def _made(make: Callable[[], Any]) -> Callable[[Any], Any]:
    """A fresh value for each call."""
    return instead(lambda *_args, **_kwargs: make())


def _rng_states(states: Any) -> None:
    torch.set_rng_state(states[0])


_NUMBERS = (
    *("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"),
    *("memory_cached", "max_memory_cached", "utilization", "temperature", "power_draw", "clock_rate"),
    *("memory_usage", "device_memory_used", "host_memory_stats", "get_sync_debug_mode"),
)
_DONE = (
    *("_lazy_init", "init", "_lazy_call", "ipc_collect", "synchronize_ipc", "_sleep"),
    *("reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached"),
    *("reset_accumulated_memory_stats", "reset_peak_host_memory_stats", "set_per_process_memory_fraction"),
    *("manual_seed", "manual_seed_all", "seed", "seed_all", "set_sync_debug_mode"),
)
"""What does nothing: there is no device, and its random numbers are the CPU's."""

_QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "is_available": _returning(True),
    "is_initialized": _returning(True),
    "is_bf16_supported": _returning(True),
    "is_tf32_supported": _returning(True),
    "is_current_stream_capturing": _returning(False),
    "_is_in_bad_fork": _returning(False),
    "can_device_access_peer": _returning(False),
    "device_count": instead(device_count),
    "_device_count_nvml": instead(device_count),
    "current_device": instead(lambda: current.index),
    "set_device": instead(_set_device),
    "_exchange_device": instead(_exchange_device),
    "_maybe_exchange_device": instead(_exchange_device),
    "device": instead(_Device),
    "device_of": instead(_DeviceOf),
    "get_device_name": _returning(_PROPERTIES.name),
    "get_device_properties": _returning(_PROPERTIES),
    "get_device_capability": _returning((9, 0)),
    "get_arch_list": _made(lambda: ["sm_90"]),
    "get_gencode_flags": _returning(""),
    "mem_get_info": _returning((_MEMORY_BYTES, _MEMORY_BYTES)),
    "memory_stats": _made(lambda: defaultdict(int)),
    "memory_stats_as_nested_dict": _made(dict),
    "memory_snapshot": _made(list),
    "memory_summary": _returning(""),
    "list_gpu_processes": _returning(""),
    "initial_seed": instead(torch.initial_seed),
    "get_rng_state": instead(lambda *_device: torch.get_rng_state()),
    "get_rng_state_all": instead(lambda: [torch.get_rng_state() for _ in range(device_count())]),
    "set_rng_state": instead(lambda state, *_device, **_named: torch.set_rng_state(state)),
    "set_rng_state_all": instead(_rng_states),
    "default_generators": lambda _original: (torch.default_generator,) * device_count(),
    "synchronize": instead(synchronize),
    "empty_cache": instead(empty_cache),
    "current_stream": instead(current_stream),
    "default_stream": instead(default_stream),
    "set_stream": instead(set_stream),
    "stream": instead(StreamContext),
    "StreamContext": instead(StreamContext),
    "Stream": instead(Stream),
    "ExternalStream": instead(ExternalStream),
    "Event": instead(Event),
    "CUDAGraph": instead(CUDAGraph),
}

_ACCELERATOR: dict[str, Callable[[Any], Any]] = {
    "is_available": _returning(True),
    "device_count": instead(device_count),
    "current_accelerator": _returning(torch.device("cuda")),
    "current_device_index": instead(lambda: current.index),
    "current_device_idx": instead(lambda: current.index),
    "set_device_index": instead(_set_device),
    "set_device_idx": instead(_set_device),
    "device_index": instead(_Device),
    "synchronize": instead(synchronize),
    "current_stream": instead(current_stream),
    "set_stream": instead(set_stream),
    "empty_cache": instead(empty_cache),
    "memory_stats": _made(lambda: defaultdict(int)),
    "memory_allocated": _returning(0),
    "memory_reserved": _returning(0),
    "max_memory_allocated": _returning(0),
    "max_memory_reserved": _returning(0),
    "reset_peak_memory_stats": _returning(None),
    "get_memory_info": _returning((_MEMORY_BYTES, _MEMORY_BYTES)),
}

_NVTX = ("range_push", "range_pop", "range_start", "range_end", "mark")

PATCHES = (
    *(Patch("torch.cuda", name, make) for name, make in _QUESTIONS.items()),
    *(Patch("torch.cuda", name, _returning(0)) for name in _NUMBERS),
    *(Patch("torch.cuda", name, _returning(None)) for name in _DONE),
    *(Patch("torch.cuda.random", name, _QUESTIONS[name]) for name in ("get_rng_state", "set_rng_state")),
    Patch("torch.cuda.memory", "empty_cache", instead(empty_cache)),
    *(Patch("torch.cuda.graphs", name, instead(CUDAGraph)) for name in ("CUDAGraph",)),
    *(Patch("torch.cuda.nvtx", name, _returning(0)) for name in _NVTX),
    *(Patch("torch.accelerator", name, make) for name, make in _ACCELERATOR.items()),
    Patch("torch.cuda.nccl", "version", _returning((2, 21, 5))),
    Patch("torch.backends.cudnn", "is_acceptable", _returning(False)),
)
