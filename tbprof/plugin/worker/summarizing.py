"""The process that makes summaries of stored reports: `python -m tbprof.plugin.worker.summarizing`.

Reports are as little trusted as traces, and those of thousands of runs take minutes to read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tbprof.errors import Busy, TbprofError
from tbprof.plugin.worker.window_messages import AskedWindow, report_of, windows_in
from tbprof.process.answering import Question, main
from tbprof.views.fleet_summary import document_of, summary_of

_MORE_MEMORY_BYTES = 1024**3
"""The largest report that is read takes some hundred MB, and one is held at a time."""

WINDOWS = "windows"
"""The parameter that holds them."""


def summarizing(_: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    """A function that answers with a summary of each window, a sentence, or null where there is no report."""

    def answer(question: Question) -> bytes:
        asked = windows_in(question.parameters[WINDOWS])
        return json.dumps([_outcome(one) for one in asked]).encode()

    return answer


def _outcome(asked: AskedWindow) -> dict[str, Any] | str | None:
    try:
        report = report_of(asked)
        return None if report is None else document_of(summary_of(report))
    except Busy:
        # A remote report that could not be read now may be in half a minute.
        return None
    except TbprofError as error:
        return str(error)


if __name__ == "__main__":
    main(summarizing, more_memory_bytes=_MORE_MEMORY_BYTES)
