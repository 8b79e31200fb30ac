"""What a run of a tracker is to the hook, and what it hears of a window.

Each package has a file: none is ever imported here, only asked for where the training has imported it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from tbprof.records import dataclass

PREFIX = "tbprof/"
"""How the names of figures begin."""


class Tracker(Protocol):
    """A run; its methods may raise whatever its package does, and take as long as a network."""

    name: str
    run_id: str

    def log(self, window: ShownWindow) -> None:
        """Add the figures of a window, at its step, and its verdict."""

    def add_page(self, page: Path) -> None:
        """Add a file, which is gone afterwards."""

    def leave(self) -> str | None:
        """Nothing follows; what is to be said of what the run lacks."""


@dataclass(frozen=True, slots=True)
class ShownWindow:
    step: int
    """The training's own, at which the window began."""
    figures: Mapping[str, float]
    """The figures by the names of TensorBoard's scalars."""
    verdict: str
    trace: str
    """The published file, or its address."""

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))


def window_of_json(text: str) -> ShownWindow:
    """What `to_json` gave.

    Raises:
        ValueError: It is something else.
        TypeError: Likewise.
    """
    return ShownWindow(**json.loads(text))
