"""The process that reads traces for the tab: `python -m tbprof.plugin.worker.main`."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.plugin.worker.answers import ANSWERS, OpenTraces
from tbprof.process.answering import Question, main
from tbprof.process.memory_limit import machine_memory_bytes


def answering(progress: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    """A function that answers, of traces that stay open."""
    traces = OpenTraces(progress)
    return lambda question: ANSWERS[question.ask](traces, question.path, question.parameters)


def _more_memory_bytes() -> int | None:
    """A trace that needs more ends its own reading, and leaves TensorBoard and the machine alone."""
    there = machine_memory_bytes()
    return None if there is None else there * 3 // 4


if __name__ == "__main__":
    main(answering, more_memory_bytes=_more_memory_bytes())
