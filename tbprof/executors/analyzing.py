"""`tbprof.analyze_many`: the reports of many files, from wherever they are read.

The seam between an analysis of many files and whatever runs it.

An engine has to do one thing, which `concurrent.futures.Executor` and all that are made like it do: apply a
module's function to many paths. Nothing but a path goes to a worker, and a report of some kB comes back.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeAlias

from tbprof.errors import TbprofError
from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.store.codec import MAX_REPORT_BYTES, decode_report, encode_report
from tbprof.store.report_cache import report_of_file
from tbprof.version import __version__


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


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that gave no report."""

    sentence: str
    """What, why and what to do."""


Answer: TypeAlias = bytes | Failure
"""The report of a file, as it is stored, or why there is none."""

Task: TypeAlias = Callable[[str], Answer]
"""Can be pickled, is called in any process that has tbprof, and raises nothing."""


class Executor(Protocol):
    """Runs a task on many paths."""

    def map(self, task: Task, paths: Iterable[str], /) -> Iterable[Answer]:
        """The answers in the order of the paths, each as soon as it and those before it are there."""


def reading_task(*, use_cache: bool) -> Task:
    """`stored_report`, as an engine is given it."""
    return functools.partial(stored_report, use_cache=use_cache)


def stored_report(path: str, *, use_cache: bool) -> Answer:
    """The report of a trace, or of a stored report.

    Args:
        path: The file, as this machine names it.
        use_cache: Whether the cache of reports of the user who runs this process is read and written.
    """
    try:
        report = report_of_file(Path(path), use_cache=use_cache)
        return encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)
    except TbprofError as error:
        return Failure(str(error))
    except MemoryError:
        return Failure(f"{path} does not fit into the memory of the machine that read it")
    except Exception as error:  # noqa: BLE001 - one bad trace must not cost the others, nor an engine try it again
        return Failure(f"{path} can't be read; this is a fault of tbprof's ({type(error).__name__}: {error})")


class InProcess:
    def map(self, task: Task, paths: Iterable[str], /) -> Iterator[Answer]:
        """See `Executor`; a file is read when its answer is asked for."""
        return map(task, paths)
