"""The programs of a recording, as they ran: built again from its `source/`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

__all__ = ["Setting", "build", "importable"]


@contextmanager
def importable(source: Path) -> Iterator[None]:
    """Let `import recording` find this recording's programs, and no other's afterwards."""
    sys.path.insert(0, str(source))
    try:
        yield
    finally:
        sys.path.remove(str(source))
        for name in [each for each in sys.modules if each.partition(".")[0] == "recording"]:
            del sys.modules[name]


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
