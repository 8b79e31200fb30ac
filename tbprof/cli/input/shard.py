"""A part of all windows: what one of several machines reads that share a list and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from tbprof.errors import UsageError
from tbprof.records import dataclass

_T = TypeVar("_T")
_WORDS = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number`, from 1 on, of `count`."""

    number: int
    count: int

    def of(self, items: Sequence[_T]) -> Sequence[_T]:
        """Every `count`-th: neighbors, which take as long as each other, go to different parts."""
        return items[self.number - 1 :: self.count]


def shard_of(words: str) -> Shard:
    """The part that `3/64` names.

    Raises:
        UsageError: There is no such part.
    """
    found = _WORDS.fullmatch(words)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard {words} is no part: give I/N with I from 1 to N, such as 3/64")
    return Shard(int(found[1]), int(found[2]))
