"""How the Kineto files of each era and vendor spell things, for the trace builder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the files of one era spell things."""

    categories: Mapping[str, str]
    arrow: tuple[str, str]
    """Category and name of the events that lead from a call to its device row."""
    external_id: str
    origin_ns: int
    base_time_ns: int | None = None
    """Where there is one, times have decimals; else they are whole us since the Unix epoch."""


_SINCE_2022 = {
    "op": "cpu_op",
    "annotation": "user_annotation",
    "runtime": "cuda_runtime",
    "driver": "cuda_driver",
    "kernel": "kernel",
    "memcpy": "gpu_memcpy",
    "memset": "gpu_memset",
}
_SINCE_2023 = {**_SINCE_2022, "sync": "cuda_sync", "frame": "python_function"}
_SINCE_2024 = {**_SINCE_2023, "gpu_annotation": "gpu_user_annotation"}
_OF_2021 = {
    "op": "Operator",
    "annotation": "Operator",
    "runtime": "Runtime",
    "driver": "Runtime",
    "kernel": "Kernel",
    "memcpy": "Memcpy",
    "memset": "Memset",
}
DIALECTS = {
    "2021": Dialect(_OF_2021, ("async", "launch"), "external id", 1623142623460000000),
    "2022": Dialect(_SINCE_2022, ("async_cpu_to_gpu", "async_gpu"), "External id", 1661203462598000000),
    "2023": Dialect(_SINCE_2023, ("ac2g", "ac2g"), "External id", 1707417525509000000),
    "2024+": Dialect(_SINCE_2024, ("ac2g", "ac2g"), "External id", 1419247332972000, 345600000000000000),
}
KINDS = {"HtoD": "1", "DtoH": "2", "DtoD": "3"}


def whole_us(ns: int) -> int:
    if ns % 1000:
        raise ValueError("before 2024 times are whole us")
    return ns // 1000


def _cuda_copy(direction: str, memory: str) -> str:
    sides = {"H": memory.capitalize() or "Host", "D": "Device", "P": "Device"}
    return f"Memcpy {direction} ({sides[direction[0]]} -> {sides[direction[-1]]})"


def _hip_copy(direction: str, memory: str) -> str:
    """ROCm takes pinned host memory for the device's own."""
    shown = "DtoD" if memory == "pinned" else direction
    sides = {"H": "Host", "D": "Device"}
    return f"Memcpy {shown} ({sides[shown[0]]} -> {sides[shown[-1]]})"


COPY_NAMES = {"cuda": _cuda_copy, "hip": _hip_copy}
