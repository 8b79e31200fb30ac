"""Answers as the bytes that were sent, so that what was made once is not made again for each viewer."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Hashable
from functools import cached_property

_FAST = 3
"""As TensorBoard packs what it sends."""

_LEAST_PACKED_BYTES = 1024
"""Below it packing gains nothing."""


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
        """By gzip; None where that gains nothing."""
        if len(self.content) < _LEAST_PACKED_BYTES:
            return None
        return gzip.compress(self.content, _FAST, mtime=0)


class KeptAnswers:
    """Those that were asked for last; the key has all that they depend on, files as they were among it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()
        self._bytes = 0

    def get(self, key: Hashable) -> Answer | None:
        with self._lock:
            answer = self._answers.get(key)
            if answer is not None:
                self._answers.move_to_end(key)
            return answer

    def keep(self, key: Hashable, content: bytes) -> Answer:
        """The answer, which is kept while there is room."""
        answer = Answer(content)
        with self._lock:
            replaced = self._answers.pop(key, None)
            self._bytes += len(content) - (0 if replaced is None else len(replaced.content))
            self._answers[key] = answer
            while self._bytes > self._most_bytes:
                _, oldest = self._answers.popitem(last=False)
                self._bytes -= len(oldest.content)
        return answer
