"""Two windows of the same sequence that begin at different places."""

from __future__ import annotations

import numpy as np

from tbprof.job.ranks.rank_record import Int64s


def common_shift(first: Int64s, second: Int64s) -> int | None:
    """What to add to a position in `first` to be at the same collective in `second`.

    That of the longest run of equal entries. None where two shifts have runs of that length, or none has
    more than half of the shorter sequence: then the windows may hold different things.
    """
    if np.array_equal(first, second):
        return 0
    longest: dict[int, int] = {}
    for shift in range(1 - len(first), len(second)):
        begin, end = max(0, -shift), min(len(first), len(second) - shift)
        longest[shift] = _longest_run(first[begin:end] == second[begin + shift : end + shift])
    best = max(longest.values(), default=0)
    shifts = [shift for shift, run in longest.items() if run == best]
    return shifts[0] if len(shifts) == 1 and 2 * best > min(len(first), len(second)) else None


def _longest_run(is_equal: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_equal, [False]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
