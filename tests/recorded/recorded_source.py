"""The programs of a recording, as they ran: built again from its `source/`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import torch


@contextmanager
def importable(source: Path) -> Iterator[None]:
    """Let `import recording` find this recording's programs, and afterwards what it found before."""
    others = _take_modules()
    sys.path.insert(0, str(source))
    try:
        yield
    finally:
        sys.path.remove(str(source))
        _take_modules()
        sys.modules.update(others)


def _take_modules() -> dict[str, ModuleType]:
    """What is imported as `recording` leaves the table of modules."""
    names = [name for name in sys.modules if name.partition(".")[0] == "recording"]
    return {name: sys.modules.pop(name) for name in names}


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a program runs and how large it is, as the programs ask for it."""

    device: torch.device
    small: bool
    least: int = 0
    """No size is made smaller than this, unless it is smaller in full."""

    def of(self, full: int, small: int) -> int:
        return min(full, max(small, self.least)) if self.small else full


def build(name: str, setting: Setting) -> Any:
    """A program's session: `step()` takes one step of training, `close()` ends it.

    Call it while its source is importable.
    """
    programs = import_module("recording.programs").all_programs()
    return next(each for each in programs if each.name == name).build(setting)
