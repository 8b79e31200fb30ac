"""The process that lists remote folders for the tab: `python -m tbprof.store.mirror_process`."""

from __future__ import annotations

import json
from collections.abc import Callable

from tbprof.process.answering import Question, main
from tbprof.store.mirroring import mirror

_MORE_MEMORY_BYTES = 4 * 1024**3
"""A million names take some 2 GB."""


def listing(_: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    """A function that makes the mirror of the address asked for, and answers with what it left out."""

    def answer(question: Question) -> bytes:
        skipped = mirror(question.path).skipped
        return json.dumps([(file.path, file.reason) for file in skipped]).encode()

    return answer


if __name__ == "__main__":
    main(listing, more_memory_bytes=_MORE_MEMORY_BYTES)
