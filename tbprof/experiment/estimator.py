"""How much longer one side takes than another, from blocks of steps that were taken in turns.

Two blocks beside each other make a pair: the logarithm of the ratio of their times. The estimate is the mean
of the middle three fifths of the pairs, since a neighbor on the machine makes single pairs as wrong as it
likes. Its interval comes from resampling runs of pairs that follow each other, so that noise that lasts
counts once, and from Student's distribution, since the pairs are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tbprof.records import dataclass

FEWEST_PAIRS = 8
"""With fewer, the middle of the pairs is no more than a few of them."""

_TRIMMED = 0.2
_RESAMPLES = 1000
_Z = 1.959964
_FEWEST_STEADY = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference as the logarithm of a ratio; below 0 the second side is faster."""

    log_ratio: float
    low: float
    high: float
    """The 95 % interval."""
    pairs: int

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def largest(self) -> float:
        """The largest difference, in either direction, that the interval does not exclude."""
        return max(abs(self.low), abs(self.high))

    def is_beyond(self, noise: float) -> bool:
        """Whether a difference of that size, in either direction, is excluded."""
        return self.low > noise or self.high < -noise


def estimate(log_ratios: Sequence[float], *, trimmed: float = _TRIMMED) -> Estimate | None:
    """The estimate and its interval; None with too few pairs."""
    count = len(log_ratios)
    if count < FEWEST_PAIRS:
        return None
    values, length = np.asarray(log_ratios, dtype=float), max(1, round(count ** (1 / 3) / 2))
    # The same pairs give the same interval.
    starts = np.random.default_rng(0).integers(0, count, (_RESAMPLES, -(-count // length)))
    at = (starts[:, :, None] + np.arange(length)).reshape(_RESAMPLES, -1)[:, :count] % count
    error = float(_middle(values[at], trimmed).std()) * math.sqrt(count / (count - length))
    middle = float(_middle(values, trimmed))
    reach = _student(count / length * (1 - 2 * trimmed) - 1) * error
    return Estimate(middle, middle - reach, middle + reach, count)


def _middle(values: np.ndarray, trimmed: float) -> np.ndarray:
    cut = int(values.shape[-1] * trimmed)
    kept: np.ndarray = np.sort(values, axis=-1)[..., cut : values.shape[-1] - cut].mean(axis=-1)
    return kept


def _student(freedom: float) -> float:
    """The 97.5 % point of Student's distribution, by the expansion of Cornish and Fisher."""
    z, n = _Z, max(freedom, 2.0)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3


def steps_to_warm_up(durations: Sequence[float]) -> int | None:
    """The number of first steps that are unlike the rest; None while no steady rest is seen.

    The change point is where the standard error of the mean of what follows is least (White's rule), by
    logarithms; in the second half those far from its middle are drawn in, since a late pause is no warm-up.
    """
    if len(durations) < 3 * _FEWEST_STEADY:
        return None
    logs = np.log(np.asarray(durations, dtype=float))
    half = logs[len(logs) // 2 :]
    middle = float(np.median(half))
    half[:] = np.minimum(half, middle + 3 * 1.4826 * float(np.median(np.abs(half - middle))))
    errors = [logs[at:].var() / (len(logs) - at) for at in range(len(logs) - _FEWEST_STEADY + 1)]
    first = int(np.argmin(errors))
    return first if first <= len(logs) // 2 else None
