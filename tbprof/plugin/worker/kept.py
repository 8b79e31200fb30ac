"""All that TensorBoard's process keeps of what was answered: one memory, one key, one limit.

What was made once is not made again for each viewer: answers as the bytes that were sent, figures of windows,
reports of traces that have no file of theirs, and why something gave nothing. Kept apart are only the list of
runs, of which the page needs all at once (`fleet_answers`), and the traces that are open, whose process alone
can hold them (`answers`).
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Hashable
from functools import cached_property
from typing import TypeVar

from tbprof.errors import TbprofError
from tbprof.records import dataclass

MOST_BYTES = 128 * 1024 * 1024
"""The most bytes of all that is kept: reports of ten thousand traces, or the answers of some hundred
pages."""

_FAST = 3
"""The level at which TensorBoard packs what it sends."""

_LEAST_PACKED_BYTES = 1024
"""Below it packing gains nothing."""

_FAILED_BYTES = 512
"""A sentence with its error; there may be one for each of ten thousand broken traces."""

_Value = TypeVar("_Value")


class Answer:
    """What a route answers; all that browsers need of it is made once."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    @cached_property
    def tag(self) -> str:
        """Another one for another content, whichever server sends it."""
        return hashlib.blake2b(self.content, digest_size=16).hexdigest()

    @cached_property
    def packed(self) -> bytes | None:
        """The content packed by gzip; None where that gains nothing."""
        if len(self.content) < _LEAST_PACKED_BYTES:
            return None
        return gzip.compress(self.content, _FAST, mtime=0)


@dataclass(frozen=True, slots=True)
class Failed:
    """Why something gives no answer."""

    error: TbprofError
    retry_at: float = float("inf")
    """`time.monotonic()` from which on another try may do better."""


@dataclass(frozen=True, slots=True)
class Key:
    """All that an answer depends on."""

    ask: str
    of: tuple[Hashable, ...]
    """The windows or files that are asked about."""
    state: Hashable = ()
    """The state of those files: another one once they have changed."""
    parameters: tuple[tuple[str, str], ...] = ()
    run: str = ""
    """Answers about the windows of one run are kept and forgotten together; "" for one that stands alone."""

    @property
    def place(self) -> Hashable:
        """The same for other states: what was made of a file as it was is replaced."""
        return self.ask, self.of, self.parameters

    def group(self, place: Hashable) -> Hashable:
        """What is forgotten together: the answers about a run, or the one of this place."""
        return (self.ask, self.run) if self.run else place


@dataclass(frozen=True, slots=True)
class _Entry:
    state: Hashable
    value: object
    size_bytes: int


class Kept:
    """What was asked for last; all methods may be called from any thread.

    Whatever was not asked for longest is forgotten first. A run that somebody looks at is kept whole, however
    large it is: to forget a part of it would be to read all of it again for each answer.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._groups: OrderedDict[Hashable, dict[Hashable, _Entry]] = OrderedDict()
        self._bytes = 0

    def get(self, key: Key, kind: type[_Value]) -> _Value | None:
        """What is kept of this kind, of the files as they are."""
        place = key.place
        group = key.group(place)
        with self._lock:
            entry = self._groups.get(group, {}).get(place)
            if entry is None or entry.state != key.state or not isinstance(entry.value, kind):
                return None
            self._groups.move_to_end(group)
            return entry.value

    def keep(self, key: Key, value: object, size_bytes: int = _FAILED_BYTES) -> None:
        """Keep it while there is room, in the place of what was made of the files as they were."""
        place = key.place
        group = key.group(place)
        with self._lock:
            entries = self._groups.setdefault(group, {})
            self._groups.move_to_end(group)
            replaced = entries.get(place)
            entries[place] = _Entry(key.state, value, size_bytes)
            self._bytes += size_bytes - (0 if replaced is None else replaced.size_bytes)
            while self._bytes > self._most_bytes and len(self._groups) > 1:
                _, oldest = self._groups.popitem(last=False)
                self._bytes -= sum(entry.size_bytes for entry in oldest.values())

    def keep_answer(self, key: Key, content: bytes) -> Answer:
        """The answer, which is kept."""
        answer = Answer(content)
        self.keep(key, answer, len(content))
        return answer
