"""Figures of findings about settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tbprof.model import Figures, Scope
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class Setting(Figures):
    """A switch that stands as it should not."""

    place: str
    """Its name."""
    value: str

    def sentence(self, _: Scope, /) -> str:
        return f"{self.place} is {self.value}."


class Settings(Figures):
    """The base of records of switches that stand as they should; those that are not known are None."""

    __slots__ = ()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the switches."""
        return tuple(cls.KEYS.get(name, name) for name in cls.__annotations__)

    @classmethod
    def of(cls, known: Mapping[str, str]) -> Settings:
        """The record of switches, by their names, as they stand."""
        record: Callable[..., Settings] = cls
        return record(*(known.get(name) for name in cls.names()))

    def sentence(self, _: Scope, /) -> str:
        return f"{'; '.join(f'{name} is {value}' for name, value in self.numbers().items())}."


@dataclass(frozen=True, slots=True)
class Deterministic(Settings):
    """Whether algorithms are deterministic."""

    deterministic_algorithms: str | None = None
    cudnn_deterministic: str | None = None

    KEYS = MappingProxyType({"cudnn_deterministic": "cudnn.deterministic"})


@dataclass(frozen=True, slots=True)
class AnomalyMode(Settings):
    """Autograd's search for values that are not finite."""

    anomaly_mode: str | None = None


@dataclass(frozen=True, slots=True)
class HostThreads(Settings):
    """How many threads torch computes with on the host."""

    num_threads: str | None = None


@dataclass(frozen=True, slots=True)
class NcclDebug(Settings):
    """How much NCCL logs."""

    NCCL_DEBUG: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryCaching(Settings):
    """Whether torch's allocator keeps what is freed."""

    PYTORCH_NO_CUDA_MEMORY_CACHING: str | None = None


@dataclass(frozen=True, slots=True)
class LaunchBlocking(Settings):
    """Whether each launch waits for its kernel."""

    CUDA_LAUNCH_BLOCKING: str | None = None
    HIP_LAUNCH_BLOCKING: str | None = None
    AMD_SERIALIZE_KERNEL: str | None = None


@dataclass(frozen=True, slots=True)
class Tracers(Settings):
    """What records Python and memory outside of windows."""

    python_tracer: str | None = None
    memory_history: str | None = None


FOUND: Mapping[str, type[Figures]] = dict.fromkeys((f"ENV{number:02}" for number in range(1, 8)), Setting)

LOOKED_AT: Mapping[str, type[Figures]] = {
    "ENV01": Deterministic,
    "ENV02": AnomalyMode,
    "ENV03": HostThreads,
    "ENV04": NcclDebug,
    "ENV05": MemoryCaching,
    "ENV06": LaunchBlocking,
    "ENV07": Tracers,
}
