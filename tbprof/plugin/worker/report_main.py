"""The process that reads reports for the tab: `python -m tbprof.plugin.worker.report_main`."""

from __future__ import annotations

import gc
from collections.abc import Callable

from tbprof.plugin.worker.report_answers import answer_of
from tbprof.process.answering import Question, main
from tbprof.process.garbage import SELDOM

# The page that is asked for first is made by these: they are there before it is asked for.
from tbprof.views import source_files_view, window_view  # noqa: F401

_MORE_MEMORY_BYTES = 1024**3
"""The largest report that is read takes some hundred MB."""


def answering(_: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    """A function that answers; reports are too small to tell how far they are read."""
    return answer_of


if __name__ == "__main__":
    # A third of the time would go into the search for cycles, and records have none.
    gc.freeze()
    gc.set_threshold(SELDOM)
    # A page is open and waits for it.
    main(answering, niceness=0, more_memory_bytes=_MORE_MEMORY_BYTES)
