"""Names of source files as they stand in a trace."""

from __future__ import annotations

from functools import lru_cache

from tbprof.program.source_files import current_import_folders, name_below


@lru_cache(maxsize=4096)
def trace_file_name(file: str) -> str:
    """What the trace of this process calls a file, by the folders that torch knows."""
    return name_below(import_folders(), file)


@lru_cache(maxsize=1)
def import_folders() -> tuple[str, ...]:
    """The folders that Python imports from, as they are when this is first asked.

    torch takes them once in a process, when it first records Python's stacks; asked right before
    that, this agrees with it however the training changes `sys.path` later.
    """
    return current_import_folders()
