"""Lists of names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["first_few"]


def first_few(names: Sequence[object], most: int) -> str:
    """The first `most`, and how many there are besides: `rank 0, rank 1 and 6 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more
