"""The windows of files and folders, one after the other as they are read."""

from __future__ import annotations

import dataclasses
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from tbprof.cli.output_file import Problem, tell
from tbprof.cli.reading import is_folder, progress_of, report_of_file
from tbprof.errors import TbprofError, TraceError, UsageError
from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.store.report_cache import has_report, report_of_window, window_of_report

if TYPE_CHECKING:
    from tbprof.executors.analyzing import Executor
    from tbprof.store.discovery import MemoryFolder


_WORDS = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number`, from 1 on, of `count`."""

    number: int
    count: int

    def of(self, items: Sequence[_T]) -> Sequence[_T]:
        """Every `count`-th: neighbors, which take as long as each other, go to different parts."""
        return items[self.number - 1 :: self.count]


def shard_of(words: str) -> Shard:
    """The part that `3/64` names.

    Raises:
        UsageError: There is no such part.
    """
    found = _WORDS.fullmatch(words)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard {words} is no part: give I/N with I from 1 to N, such as 3/64")
    return Shard(int(found[1]), int(found[2]))


_PROGRESS_FROM_S = 2.0
"""A list that is read faster needs no line that says how far it is."""

WindowReport: TypeAlias = tuple[Window, Report]
BrokenWindow: TypeAlias = tuple[Window, TbprofError]
_Outcome: TypeAlias = tuple[Window, Report | TbprofError]
_T = TypeVar("_T")


@dataclasses.dataclass(slots=True)
class WindowReader:
    """The windows of files and folders; a path that gives none costs one line on stderr.

    Where there are several paths, a window's run begins with the one that it comes from. Reading raises a
    `TbprofError` where no path gave any window.
    """

    paths: Sequence[Path]
    use_cache: bool
    executor: Executor | None = None
    """Who reads traces that have no report; by default this process, or those of this machine's cores."""
    shard: Shard | None = None
    """The part of each folder's windows that is read; by default all."""
    needs_windows: bool = True
    """Else a folder with files of memory alone is none to complain of."""
    broken: list[BrokenWindow] = dataclasses.field(default_factory=list)
    """Windows of folders that could not be read, of those that have been tried."""
    of_memory: list[MemoryFolder] = dataclasses.field(default_factory=list)
    """Folders in which the hook left such files, of those that have been looked at."""
    problems: list[Problem] = dataclasses.field(default_factory=list)
    """What was said of the paths that have been read."""
    has_failed: bool = False
    """Whether some of several paths gave none, once all have been read."""

    def __iter__(self) -> Iterator[WindowReport]:
        failed = 0
        for path in self.paths:
            try:
                for window, report in self._of(path):
                    yield self._named(path, window), report
            except TbprofError as error:
                failed += 1
                if failed == len(self.paths):
                    raise
                self.has_failed = True
                _say(self.problems, Problem(str(path), str(error), names_path=True))

    def read_again(self, windows: Sequence[Window]) -> Iterator[tuple[Window, Report | TbprofError]]:
        """Some of those that were read; what came through a pipe can't be."""
        yield from read_windows(windows, self.executor, use_cache=self.use_cache)

    def _of(self, path: Path) -> Iterator[WindowReport]:
        if is_folder(path):
            yield from self._of_folder(path)
        else:
            report = report_of_file(path, use_cache=self.use_cache)
            window = window_of_report(report)
            is_stored = path.name.endswith(REPORT_SUFFIX)
            yield window if is_stored else dataclasses.replace(window, report_path=None), report

    def _of_folder(self, folder: Path) -> Iterator[WindowReport]:
        found = FolderWindows(
            folder,
            use_cache=self.use_cache,
            executor=self.executor,
            shard=self.shard,
            needs_windows=self.needs_windows,
        )
        try:
            yield from found.windows()
        finally:
            self.problems += found.problems
            self.broken += [(self._named(folder, window), error) for window, error in found.broken]
            self.of_memory += found.of_memory

    def _named(self, path: Path, window: Window) -> Window:
        """A window whose run begins with its path where several are named; what lies in a folder itself has
        that name.
        """
        if len(self.paths) == 1:
            return dataclasses.replace(window, run=path.absolute().name) if window.run == "." else window
        folder = path / window.run
        return dataclasses.replace(window, run=folder.as_posix() if folder.name else folder.absolute().name)


class FolderWindows:
    """The windows of a folder: each that can't be read, or is left out, costs one line on stderr."""

    def __init__(
        self,
        folder: Path,
        *,
        use_cache: bool,
        executor: Executor | None = None,
        shard: Shard | None = None,
        needs_windows: bool = True,
    ) -> None:
        """Nothing is looked for until the windows are asked for; the options are those of `WindowReader`."""
        self._folder = folder
        self._use_cache = use_cache
        self._executor = executor
        self._shard = shard
        self._needs_windows = needs_windows
        self.problems: list[Problem] = []
        """What has been said so far."""
        self.broken: list[BrokenWindow] = []
        """Windows that could not be read, of those that have been tried."""
        self.of_memory: tuple[MemoryFolder, ...] = ()
        """In which the hook left files of memory, once all windows have been read."""

    def windows(self) -> Iterator[WindowReport]:
        """All that can be read, in the order of the folder.

        Raises:
            UsageError: There is none; unless it needs windows, nor files of memory.
        """
        # A file that is named needs nothing of what finds them.
        from tbprof.store.discovery import Discovery, nothing_to_read
        from tbprof.texts.finding_notes import skipped_sentence
        from tbprof.trace.importers.sniffing import looks_like_trace

        listing = Discovery(self._folder, looks_like_trace).find()
        for left_out in listing.skipped:
            _say(self.problems, Problem(left_out.path, skipped_sentence(left_out.reason)))
        chosen = self._part_of(listing.windows)
        found = False
        for read in self._read(chosen):
            found = True
            yield read
        self.of_memory = listing.of_memory
        if listing.of_memory and not listing.windows and not self._needs_windows:
            return
        if not found and (chosen or not listing.windows):
            raise nothing_to_read(self._folder)

    def _part_of(self, windows: Sequence[Window]) -> Sequence[Window]:
        if self._shard is None:
            return windows
        from tbprof.texts.series import part_sentence

        chosen = self._shard.of(windows)
        sentence = part_sentence(self._shard.number, self._shard.count, len(chosen), len(windows))
        tell(f"{self._folder}: {sentence}")
        return chosen

    def _read(self, windows: Sequence[Window]) -> Iterator[WindowReport]:
        """The windows that can be read, and then what is said of ranks that are missing."""
        from tbprof.views.run_ranks import RunRanks

        ranks = RunRanks()
        for window, report in read_windows(windows, self._executor, use_cache=self._use_cache):
            if isinstance(report, TbprofError):
                file = window.trace_path or window.report_path or window.window
                _say(self.problems, Problem(file, str(report), names_path=True))
                self.broken.append((window, report))
                ranks.add(window, None)
            else:
                ranks.add(window, report)
                yield window, report
        for run, sentence in ranks.sentences(is_part=self._shard is not None):
            _say(self.problems, Problem(str(self._folder / run), sentence))


def _say(problems: list[Problem], problem: Problem) -> None:
    problems.append(problem)
    tell(problem.notice)


def read_windows(
    windows: Sequence[Window], executor: Executor | None, *, use_cache: bool
) -> Iterator[_Outcome]:
    """Each with its report, or with why there is none; how far they are is shown on a terminal."""
    yield from _told(_outcomes(windows, executor, use_cache=use_cache), len(windows))


def _outcomes(windows: Sequence[Window], executor: Executor | None, *, use_cache: bool) -> Iterator[_Outcome]:
    """In the order of the windows: reports at hand are read here, the others by who reads traces."""
    traces = [
        window.trace_path
        for window in windows
        if window.trace_path is not None and not (use_cache and has_report(window))
    ]
    # A single trace is shown as it is read.
    is_shared = executor is not None or len(traces) > 1
    read_elsewhere = frozenset(traces if is_shared else ())
    elsewhere = _read_by(executor, traces, use_cache=use_cache) if is_shared else iter(())
    for window in windows:
        if window.trace_path in read_elsewhere:
            yield window, next(elsewhere)
            continue
        progress = progress_of(Path(window.trace_path or window.window))
        try:
            yield window, report_of_window(window, use_cache=use_cache, progress=progress)
        except TbprofError as error:
            yield window, error


def _read_by(
    executor: Executor | None, traces: Sequence[str], *, use_cache: bool
) -> Iterator[Report | TbprofError]:
    from tbprof.executors.analyzing import analyze_many
    from tbprof.executors.choosing import executor_for

    executor = executor or executor_for(len(traces))
    for trace, file in zip(traces, analyze_many(traces, executor, use_cache=use_cache), strict=True):
        if file.error:
            yield TraceError(file.error.replace(file.path, trace))
            continue
        try:
            report = file.report()
        except TbprofError as error:
            yield error
        else:
            yield dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=trace))


def _told(items: Iterator[_T], count: int) -> Iterator[_T]:
    """One after the other; while one takes long, a line on a terminal says how many are done."""
    began_s = time.monotonic()
    for done in range(count + 1):
        line = f"reading windows: {done:,} of {count:,}"
        is_shown = sys.stderr.isatty() and time.monotonic() - began_s > _PROGRESS_FROM_S
        if is_shown:
            sys.stderr.write(f"\r{line}")
            sys.stderr.flush()
        item = next(items, None)
        if is_shown:
            # What is printed of the window stands where the line was.
            sys.stderr.write("\r" + " " * len(line) + "\r")
            sys.stderr.flush()
        if item is None:
            return
        yield item
