"""The files of a run that say what held memory: a list of them, and each as a page."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.errors import Gone
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.series_answers import folders_of_run
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.reports import Reports
from tbprof.store.memory_files import MemoryFile, MemoryFileKind, memory_files_in
from tbprof.views.memory_files import MemoryFileRow, MemoryFilesView

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
        return memory_files_in(folders_of_run(self._logs, parameters.get("run", "")))
