"""A process that reads one file after the other: `python -m tbprof.executors.process_worker`."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Callable

from tbprof.errors import TraceError
from tbprof.executors.analyzing import Failure, Task
from tbprof.process.answering import Question, main


def answering(_: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    """A function that does the task which a question names."""
    return _answer


def _answer(question: Question) -> bytes:
    # From the process that started this one: nobody else can write into this pipe.
    task: Task = pickle.loads(base64.b64decode(question.ask))
    answer = task(question.path)
    if isinstance(answer, Failure):
        raise TraceError(answer.sentence)
    return answer


if __name__ == "__main__":
    main(answering, niceness=0)
