"""The base of the records that hold the figures of a verdict."""

from __future__ import annotations

from tbprof.judge.window_words import Window
from tbprof.model import Figures

Sentences = tuple[str, str]
"""The first sentence, and a second one; "" where there is nothing to add."""


class VerdictFigures(Figures):
    """The base of these records."""

    __slots__ = ()

    @property
    def window(self) -> Window | None:
        """The figures of the device's time; None where none was recorded."""
        return None

    @property
    def scope(self) -> str:
        """What figures are of where much of what was recorded is not in the file; "" elsewhere."""
        return ""

    @property
    def spent_us(self) -> float:
        """The part of a step, or of the recording, for which another recording is to be made."""
        return 0.0

    @property
    def recorded_us(self) -> float | None:
        """How long that step or recording is; None for a mean step."""
        return None

    @property
    def order(self) -> str:
        """What to do first, where the case itself says it; "" where the actions do."""
        return ""

    @property
    def last_order(self) -> str:
        """The same, where no action is worth it."""
        return ""

    def sentences(self, *, waits_come_first: bool) -> Sentences:
        """The verdict in words. What waits expose comes first where they are not the first action."""
        raise NotImplementedError
