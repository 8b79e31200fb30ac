"""A worker that does what it is asked to: answer, fail, print, or die."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from tbprof import errors
from tbprof.process.answering import Question, main


def answering(progress: Callable[[int, int], None]) -> Callable[[Question], bytes]:
    def answer(question: Question) -> bytes:
        if question.ask == "progress":
            progress(1, 2)
        elif question.ask == "fail":
            kind: type[errors.TbprofError] = getattr(errors, question.parameters["kind"])
            raise kind(f"{question.path} is what was asked for")
        elif question.ask == "divide":
            raise ZeroDivisionError("x")
        elif question.ask == "print":
            print("of a library")  # noqa: T201 - which is what is tried
        elif question.ask == "break off":
            os.write(1, b'{"id": 0, "size": 10}\nhalf')
            os._exit(3)
        elif question.ask == "babble":
            os.write(1, b"no message\n")
        elif question.ask == "sleep":
            time.sleep(600)
        elif question.ask == "end":
            os._exit(3)
        return question.path.encode() * int(question.parameters.get("times", "1"))

    return answer


if __name__ == "__main__":
    # Told at once, however soon it comes.
    sys.modules["tbprof.process.answering"].TELL_EVERY_S = -1.0  # type: ignore[attr-defined]
    main(answering)
