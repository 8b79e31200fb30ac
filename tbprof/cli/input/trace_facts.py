"""What is known of one trace, for tables of it."""

from __future__ import annotations

from pathlib import Path

from tbprof.cli.input.piped import as_file
from tbprof.cli.input.reading import is_folder, progress_of
from tbprof.errors import UsageError
from tbprof.report import Facts, Tables, open_facts


def facts_of_file(path: Path, *, tables: Tables, use_cache: bool) -> Facts:
    """Read a trace; how far it is is shown on a terminal.

    Raises:
        TbprofError: The file gives nothing.
    """
    if is_folder(path):
        raise UsageError(f"{path} is a folder: name one trace in it")
    with as_file(path) as file:
        # What came through a pipe has a name that will never be asked for again.
        use_cache = use_cache and file == path
        return open_facts(file, tables=tables, use_cache=use_cache, progress=progress_of(path))
