"""The short spans of a track at the coarse levels, summed once: the whole window is as fast as a part.

At each level the shares are those of the level below, two buckets to one, and the spans that
have become shorter than a bucket.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.timeline.tracks import Track
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s


@dataclass(frozen=True, slots=True, eq=False)
class BucketSums:
    """One entry a bucket that holds anything, ascending; buckets count from the window's first event."""

    bucket: Int64s
    covered_ns: Int64s
    count: Int64s

    def between(self, first: int, stop: int) -> BucketSums:
        """Those of the buckets from `first` to before `stop`."""
        part = slice(*np.searchsorted(self.bucket, (first, stop)).tolist())
        return BucketSums(self.bucket[part], self.covered_ns[part], self.count[part])


def bucket_sums(start_ns: Int64s, end_ns: Int64s, level: int) -> BucketSums:
    """Of spans that are shorter than a bucket; instants count from the window's first event."""
    first = start_ns >> level
    before = np.minimum(end_ns, (first + 1) << level) - start_ns
    # Of a span shorter than a bucket a part may lie in the next one, never more.
    after = end_ns - start_ns - before
    over = after > 0
    return _summed(
        np.concatenate([first, first[over] + 1]),
        np.concatenate([before, after[over]]),
        np.repeat(np.array([1, 0]), [len(first), int(over.sum())]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """A track with its sums from a base level up."""

    track: Track
    base: int
    long: Int64s
    """Positions of the spans that are not short at the base level."""
    levels: tuple[BucketSums, ...]
    """From the base level on."""

    @classmethod
    def of(cls, track: Track, base: int, highest: int, origin_ns: int) -> Pyramid:
        start, end = track.start_ns - origin_ns, track.end_ns - origin_ns
        long = end - start >= 1 << base
        levels = [bucket_sums(start[~long], end[~long], base)]
        positions = np.flatnonzero(long)
        lengths = (end - start)[positions]
        for level in range(base + 1, highest + 1):
            shrunk = positions[(lengths >= 1 << (level - 1)) & (lengths < 1 << level)]
            below, added = levels[-1], bucket_sums(start[shrunk], end[shrunk], level)
            levels.append(
                _summed(
                    np.concatenate([below.bucket >> 1, added.bucket]),
                    np.concatenate([below.covered_ns, added.covered_ns]),
                    np.concatenate([below.count, added.count]),
                )
            )
        return cls(track, base, positions, tuple(levels))


def _summed(bucket: Int64s, covered_ns: Int64s, count: Int64s) -> BucketSums:
    """Entries of one bucket added up."""
    if len(bucket) == 0:
        return BucketSums(bucket, covered_ns, count)
    order = np.argsort(bucket, kind="stable")
    bucket = bucket[order]
    first = np.flatnonzero(np.diff(bucket, prepend=bucket[0] - 1))
    return BucketSums(
        bucket[first], np.add.reduceat(covered_ns[order], first), np.add.reduceat(count[order], first)
    )
