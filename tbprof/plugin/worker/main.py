"""The process that reads traces for the tab: `python -m tbprof.plugin.worker.main`."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.plugin.worker.answers import ANSWERS, Traces
from tbprof.process.answering import main
from tbprof.process.messages import Question

__all__ = ["answering"]


def answering(progress: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    """A function that answers, of traces that stay open."""
    traces = Traces(progress)
    return lambda question: ANSWERS[question.ask](traces, question.path, question.parameters)


if __name__ == "__main__":
    main(answering)
