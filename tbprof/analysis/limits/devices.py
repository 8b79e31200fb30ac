"""What devices can do at the most: dense TFLOP/s by type, and TB/s of their memory, as their makers state.

The table is `devices.json` beside this file, each entry with its source. No sparsity, boost clocks, and for
GeForce and RTX cards the rate with sums in float32, as PyTorch keeps them. An MI200 is two devices to
PyTorch: half of the card's figures. Where a maker's sheet has no rate in float64, it is the share that the
whitepapers name: 1/32 of float32 on Turing, 1/64 on Ampere's GA10x and Ada. What a device reaches in practice
is less: a share of these is a share of the data sheet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    name: str
    """The short name of the device."""
    pattern: str
    """Found in the names that traces have for it; the first entry of the table counts."""
    terabytes_s: float
    source: str
    float32: float | None = None
    """TFLOP/s without matrix units, as the next two; None where the maker names none."""
    float64: float | None = None
    plain_float16: float | None = None
    """Only of devices without matrix units."""
    half: float | None = None
    """On matrix units as all below: float16, and bfloat16 where `bfloat16` says nothing else."""
    tf32: float | None = None
    """What a float32 product takes that runs on matrix units: TF32 on NVIDIA, float32 itself on AMD."""
    matrix_float64: float | None = None
    float8: float | None = None
    int8: float | None = None
    bfloat16: float | None = None
    """0 where the device has none."""

    @property
    def matrix(self) -> Mapping[str, float]:
        """TFLOP/s of matrix units, by the names that torch gives the types."""
        brain = self.half if self.bfloat16 is None else self.bfloat16
        rates = {
            "float16": self.half,
            "bfloat16": brain,
            "float32": self.tf32,
            "float64": self.matrix_float64,
            "int8": self.int8,
            **dict.fromkeys(_FLOAT8, self.float8),
        }
        return {dtype: rate for dtype, rate in rates.items() if rate}

    def tflops(self, dtype: str, *, on_matrix_units: bool) -> float | None:
        """The rate for a type; None for one that the data sheet does not name."""
        if on_matrix_units and dtype in self.matrix:
            return self.matrix[dtype]
        if dtype in _FLOAT8:
            return None
        if dtype == "float16" and self.plain_float16 is not None:
            return self.plain_float16
        return self.float64 if dtype == "float64" else self.float32


_FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")

_SLICE = re.compile(r"\bMIG\b")


@cache
def all_devices() -> tuple[Peaks, ...]:
    """The table, in the order in which patterns are tried."""
    table = json.loads((Path(__file__).parent / "devices.json").read_text(encoding="utf-8"))
    titles = {key: source["title"] for key, source in table["sources"].items()}
    return tuple(Peaks(**{**device, "source": titles[device["source"]]}) for device in table["devices"])


def is_slice(device: str) -> bool:
    """Whether a device is a part of a card, as `NVIDIA H100 80GB HBM3 MIG 1g.10gb`.

    No data sheet has the rates of one. How they relate to each other is as on the whole card.
    """
    return _SLICE.search(device) is not None


@cache
def find_peaks(device: str) -> Peaks | None:
    """The peaks of a device by its recorded name, as `NVIDIA H100 80GB HBM3`; None for one not in the table.
    A slice

    Of a slice those of the whole card.
    """
    return next((peaks for peaks in all_devices() if re.search(peaks.pattern, device)), None)
