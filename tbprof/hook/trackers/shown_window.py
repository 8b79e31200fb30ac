"""A published window as a tracker shows it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class ShownWindow:
    step: int
    """The training's own, at which the window began."""
    figures: Mapping[str, float]
    """By the names of TensorBoard's scalars."""
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
