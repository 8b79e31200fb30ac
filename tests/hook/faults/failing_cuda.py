"""Calls of torch.cuda that fail, against the stand-in of `stand_in_cuda.py`."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(1, str(Path(__file__).parents[1]))

ERRORS = ("RuntimeError", "UserWarning", "SystemError")
"""What torch raises, what its warnings become by `-W error`, and what a broken library raises."""


@dataclass(frozen=True)
class CudaFault:
    """Which call of torch.cuda raises."""

    at: int
    """The number of the call; 0: all go well, and are counted."""
    error: str = ERRORS[0]
    forever: bool = False
    """Every later call raises as well."""
    in_child: bool = False

    def __str__(self) -> str:
        return f"call {self.at} of torch.cuda, {self.error}{' from there on' if self.forever else ''}"


def variables(fault: CudaFault, folder: Path) -> Mapping[str, str]:
    """Of the environment, that make a training of `folder` meet it."""
    return {
        "CUDA_AT": str(fault.at),
        "CUDA_ERROR": fault.error,
        "CUDA_FOREVER": "1" if fault.forever else "",
        "CUDA_LOG": str(folder / "cuda_calls"),
    }


def calls(folder: Path) -> list[str]:
    """Those that the training of `folder` made, in order."""
    log = folder / "cuda_calls"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def cuda_faults(count: int) -> Iterator[CudaFault]:
    """Each call with each error, once and from there on."""
    for at in range(1, count + 1):
        for error in ERRORS:
            yield from (CudaFault(at, error, forever) for forever in (False, True))


def install_if_asked() -> None:
    """In a training: play a GPU whose calls fail, where the environment says so."""
    if "CUDA_AT" not in os.environ:
        return
    from stand_in_cuda import StandInCuda

    log = Path(os.environ["CUDA_LOG"])
    log.write_text("")
    at, forever = int(os.environ["CUDA_AT"]), bool(os.environ["CUDA_FOREVER"])
    error = {"RuntimeError": RuntimeError, "UserWarning": UserWarning, "SystemError": SystemError}[
        os.environ["CUDA_ERROR"]
    ]

    def fault(name: str, number: int) -> Exception | None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
        is_due = number == at or (forever and number > at > 0)
        return error(f"{name} was told to fail") if is_due else None

    def put(target: object, name: str, value: object, *, raising: bool = True) -> None:
        assert not raising or hasattr(target, name)
        setattr(target, name, value)

    StandInCuda(fault=fault).install(types.SimpleNamespace(setattr=put))
