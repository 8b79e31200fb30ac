"""The answer to "show me this window": its view, how far it is, or what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from tbprof.errors import Busy, Gone, TbprofError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import at_hand, names_file_of, requested_window
from tbprof.plugin.routes.series_answers import no_such_run
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.pool import Reading
from tbprof.plugin.worker.reports import Reports
from tbprof.store.memory_files import MemoryFile, MemoryFileKind, memory_files_in
from tbprof.views.answer import Progress, WindowAnswer, problem_with
from tbprof.views.comparison import CompareAnswer
from tbprof.views.memory_files import MemoryFileRow, MemoryFilesView
from tbprof.views.source import SourceAnswer


class WindowAnswers:
    """Stored reports at once; traces without one once they are read."""

    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | WindowAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            Gone: There is no such window.
            Busy: Too much is being read.
        """
        window = requested_window(self._logs, parameters)
        try:
            found = self._reports.view("window", [window])
        except (Busy, Gone):
            raise
        except TbprofError as error:
            return WindowAnswer("broken", None, None, problem_with(window, error))
        if isinstance(found, Reading):
            elapsed = time.monotonic() - found.since
            progress = Progress(found.read_bytes, found.total_bytes, elapsed, found.ahead)
            return WindowAnswer("reading", None, progress, None)
        return found


class CheckAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The checks of the window of `run`, `worker` and `window`.

        Raises:
            TbprofError: There is no such window, it gives nothing, or it is still being read.
        """
        return at_hand(self._reports, "checks", requested_window(self._logs, parameters), {})


class FindingAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The finding of the fingerprint `finding` in the window of `run`, `worker` and `window`.

        Raises:
            TbprofError: There is no such window or finding, or the window gives nothing.
        """
        window = requested_window(self._logs, parameters)
        named = {"finding": parameters.get("finding", "")}
        return at_hand(self._reports, "finding", window, named)


class SourceAnswers:
    """What a report holds; no file of the program is opened."""

    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | SourceAnswer:
        """Look the window up by the parameters `run`, `worker` and `window`.

        Raises:
            Gone: There is no such window.
        """
        window = requested_window(self._logs, parameters)
        try:
            found = self._reports.view("source", [window])
        except Busy:
            # It is asked again, and has room in the queue then.
            return SourceAnswer("reading", None, None)
        except TbprofError as error:
            return SourceAnswer("broken", None, problem_with(window, error))
        return SourceAnswer("reading", None, None) if isinstance(found, Reading) else found


class CompareAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def answer(self, parameters: Mapping[str, str]) -> Answer | CompareAnswer:
        """`run`, `worker` and `window` name the one after, with `before_` in front the one before.

        Raises:
            Gone: There is no such window.
        """
        before = requested_window(self._logs, parameters, "before_")
        after = requested_window(self._logs, parameters)
        try:
            found = self._reports.view("compare", [before, after])
        except Busy:
            return CompareAnswer("reading", None, None)
        except TbprofError as error:
            window = before if names_file_of(before, error) else after
            return CompareAnswer("broken", None, problem_with(window, error))
        return CompareAnswer("reading", None, None) if isinstance(found, Reading) else found


_TITLES: Mapping[MemoryFileKind, str] = {
    "out_of_memory": "Memory ran out",
    "memory_step": "What held memory in a step",
    "snapshot": "Snapshot of torch's allocator",
}


class MemoryFileAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports

    def listed(self, parameters: Mapping[str, str]) -> MemoryFilesView:
        """The memory files in the folder of `run`, and in those of its windows.

        Raises:
            Gone: There is no such run.
        """
        return MemoryFilesView(
            tuple(
                MemoryFileRow(file.name, _TITLES[file.kind], file.kind == "out_of_memory")
                for file in self._files(parameters)
            )
        )

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The file `name` of `run`; a name never becomes part of a path.

        Raises:
            TbprofError: There is no such file, or it gives nothing.
        """
        name = parameters.get("name", "")
        file = next((file for file in self._files(parameters) if file.name == name), None)
        if file is None:
            raise Gone("there is no such file in the run: it may have been deleted")
        return self._reports.memory_file(str(file.path), (file.size_bytes, file.changed_ns))

    def _files(self, parameters: Mapping[str, str]) -> list[MemoryFile]:
        run, listing = parameters.get("run", ""), self._logs.listing()
        files = [window.trace_path or window.report_path for window in listing.windows if window.run == run]
        folders = {Path(file).parent for file in files if file is not None}
        folders |= {Path(folder.path) for folder in listing.of_memory if folder.run == run}
        if not folders:
            raise no_such_run()
        return memory_files_in(folders)
