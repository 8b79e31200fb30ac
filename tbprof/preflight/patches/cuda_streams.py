"""Streams, events and waits of a device that is not there: order is kept by the CPU, waits are noted."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch

from tbprof.errors import NotSupported
from tbprof.preflight.base.devices import current
from tbprof.preflight.watching import pending_reads
from tbprof.preflight.watching.recording import Event as Noted
from tbprof.preflight.watching.recording import note


def synchronize(device: Any = None) -> None:  # noqa: ARG001 - as torch has it
    """Noted as a wait of the host for the device."""
    note(Noted("synchronize", "synchronize", ()))
    pending_reads.forget_all()


def empty_cache() -> None:
    """Noted as a wait: memory goes back to the driver when the device has done its work."""
    note(Noted("synchronize", "empty_cache", (), known="read"))


class Stream:
    """Stands for `torch.cuda.Stream`."""

    def __init__(self, device: Any = None, priority: int = 0, **_identity: Any) -> None:
        self.device = torch.device(
            "cuda", current.index if device is None else torch.device(device).index or 0
        )
        self.device_index = self.device.index
        self.priority = priority
        self.stream_id = self.cuda_stream = 0

    def synchronize(self) -> None:
        synchronize()

    def query(self) -> bool:
        """All work is done as soon as it is begun."""
        pending_reads.forget_all()
        return True

    def is_capturing(self) -> bool:
        return False

    def wait_stream(self, stream: Any) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def record_event(self, event: Event | None = None) -> Event:
        return event or Event()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ExternalStream(Stream):
    """Stands for a stream that another library made."""

    def __init__(self, stream_ptr: int, device: Any = None, **_options: Any) -> None:
        super().__init__(device)
        self.cuda_stream = stream_ptr


class Event:
    """Stands for `torch.cuda.Event`."""

    def __init__(self, *_options: Any, **_named: Any) -> None: ...

    def record(self, stream: Any = None) -> None: ...

    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        """All work is done as soon as it is begun; whoever asks may read what was copied."""
        pending_reads.forget_all()
        return True

    def synchronize(self) -> None:
        synchronize()

    def elapsed_time(self, end_event: Any) -> float:  # noqa: ARG002 - as torch has it
        """No time is known; 1 ms keeps a division by it alive."""
        return 1.0


class StreamContext:
    """Stands for `torch.cuda.stream(...)`."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


_CURRENT: list[Stream] = []


def current_stream(device: Any = None) -> Stream:  # noqa: ARG001 - as torch has it
    """One stream for all, as all work is done in the order of the program."""
    if not _CURRENT:
        _CURRENT.append(Stream())
    return _CURRENT[0]


class CUDAGraph:
    """Says that graphs can't be recorded."""

    def __new__(cls, *_args: Any, **_kwargs: Any) -> CUDAGraph:
        raise NotSupported(
            "preflight can't record CUDA graphs, which need a GPU: turn them off for this run, or put "
            "something in place of what makes them with --stub"
        )
