"""`tbprof.analyze_many`: the reports of many files, from wherever they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from tbprof.executors.executor import Executor, Failure
from tbprof.executors.in_process import InProcess
from tbprof.executors.task import reading_task
from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.store.codec import decode_report


@dataclass(frozen=True, slots=True)
class AnalyzedFile:
    """What became of one file: a report, or why there is none."""

    path: str
    """Absolute."""
    stored: bytes
    """The report as it is stored, the same bytes wherever the file was read; b"" where there is none."""
    error: str
    """What is wrong with the file, and what to do; "" where there is a report."""

    def report(self) -> Report:
        """The report as records.

        Raises:
            ReportError: There is none, or another version of tbprof made it.
        """
        return decode_report(self.stored, name=self.path)


def analyze_many(
    paths: Iterable[str | os.PathLike[str]], executor: Executor | None = None, *, use_cache: bool = True
) -> Iterator[AnalyzedFile]:
    """Analyze traces, and read stored reports; a file that gives nothing costs the others nothing.

    Args:
        paths: Files, each as every worker of the executor sees it.
        executor: One of `tbprof.executors`, or anything that maps as `concurrent.futures.Executor` does; by
            default this process reads them.
        use_cache: Whether reports of traces may be kept in the cache folder of the user who runs a worker,
            and taken from it.

    Returns:
        Of each path what became of it, in their order, as soon as it and those before it are there.

    Raises:
        UsageError: The executor's engine can't be reached.
    """
    asked = [os.path.abspath(path) for path in paths]  # noqa: PTH100 - a Path may not hold what a name may
    answers = (executor or InProcess()).map(reading_task(use_cache=use_cache), asked)
    for path, answer in zip(asked, answers, strict=True):
        if isinstance(answer, Failure):
            yield AnalyzedFile(path, b"", answer.sentence)
        else:
            yield AnalyzedFile(path, answer, "")
