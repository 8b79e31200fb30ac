"""A predicted saving beside the true one."""

from __future__ import annotations

from dataclasses import dataclass

from tbprof.model import Saving

ALL_SITES = -1
PLANNED_SITES = -2
"""Those that the report's fix plan removes; the figures are those of the window."""

TOLERANCE = 0.01
"""Of the window: what is smaller is noise to the person who reads the figure."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The three figures for one site, or for all at once, and the truth.

    `window_ns` is the time that all of them are about: a window, or a step.
    """

    site: int
    predicted: Saving
    true_ns: int
    window_ns: int
    noise_ns: int = 0
    """How far the truth differs from one measurement to the next."""

    @property
    def slack_ns(self) -> float:
        return max(TOLERANCE * self.window_ns, self.noise_ns)

    @property
    def is_inside(self) -> bool:
        """Whether the truth lies between floor and ceiling."""
        floor, ceiling = self.predicted.floor_ns, self.predicted.ceiling_ns
        return floor - self.slack_ns <= self.true_ns <= ceiling + self.slack_ns

    @property
    def matters(self) -> bool:
        """Whether there is truly something to win."""
        return self.true_ns > self.slack_ns

    @property
    def is_estimated(self) -> bool:
        return self.predicted.estimate_ns is not None

    @property
    def error(self) -> float:
        """Of the estimate, relative to the truth or, where that is less, to what counts as noise."""
        return self._off_ns / max(abs(self.true_ns), self.slack_ns)

    @property
    def share_of_window(self) -> float:
        """The error of the estimate as a share of the window."""
        return self._off_ns / self.window_ns

    @property
    def width(self) -> float:
        """Of the bracket, as a share of the window."""
        return (self.predicted.ceiling_ns - self.predicted.floor_ns) / self.window_ns

    @property
    def _off_ns(self) -> int:
        assert self.predicted.estimate_ns is not None
        return abs(self.predicted.estimate_ns - self.true_ns)
