"""`tbprof import FILE... --logdir LOGS`: traces that others recorded, where both tabs read them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.output_file import tell
from tbprof.cli.reading import local_path
from tbprof.errors import PublishError, TraceError, UsageError
from tbprof.escaping import plain
from tbprof.remote.address import is_address
from tbprof.standard_streams import put
from tbprof.store.importing import Imported, import_trace, is_within, run_of

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands

_COULD_NOT = 2


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("import")
    parser.add_argument(
        "files",
        type=local_path,
        nargs="+",
        metavar="FILE",
        help="a trace of torch.profiler, an SQLite export of Nsight Systems, or JSON of rocprofv3",
    )
    parser.add_argument(
        "--logdir", type=local_path, required=True, metavar="LOGS", help="TensorBoard's log directory"
    )
    parser.add_argument(
        "--run",
        dest="name",
        metavar="NAME",
        help="the run for all of them; default: the name of the folder they lie in",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Bring in each file; one that can't be costs one line on stderr and exit code 2.

    Raises:
        UsageError: The run would lie outside the log directory.
    """
    run_folder = _run_folder(
        options.logdir, _common_folder(options.files) if options.name is None else options.name
    )
    had_windows = run_folder.is_dir() and any(run_folder.iterdir())
    imported = [_import(file, run_folder, options.logdir) for file in options.files]
    if had_windows and any(one.is_new for ones in imported for one in ones or ()):
        put(
            plain(
                f"{run_folder} was there before: restart TensorBoard for the standard tab to show what is new"
            )
            + "\n"
        )
    return 0 if all(ones is not None for ones in imported) else _COULD_NOT


def _common_folder(files: Sequence[Path]) -> str:
    return run_of(Path(os.path.commonpath([file.absolute().parent for file in files])))


def _run_folder(logdir: Path, name: str) -> Path:
    folder = logdir / name
    is_name = name.strip() and plain(name) == name and not is_address(name)
    if not is_name or not is_within(folder, logdir):
        raise UsageError(f"--run {name!a} is no folder of {logdir}: give the name of a run")
    return folder


def _import(file: Path, run_folder: Path, logdir: Path) -> list[Imported] | None:
    """What became of a file; None where nothing did."""
    if is_within(file, logdir):
        tell(
            f"{file} lies in {logdir} already, where tbprof reads it; "
            f"for the standard tab: tbprof classic {file}"
        )
        return None
    try:
        imported = import_trace(file, run_folder)
    except (TraceError, PublishError) as error:
        tell(str(error))
        return None
    for one in imported:
        put(plain(_line(file, one)) + "\n")
    return imported


def _line(file: Path, imported: Imported) -> str:
    if not imported.is_new:
        return f"{file} is there already: {imported.path}"
    rank = "" if imported.rank is None else f", rank {imported.rank}"
    lacks = f"; no {', no '.join(imported.lacks)}" if imported.lacks else ""
    never = f"; {imported.never_has}" if imported.never_has else ""
    return f"imported {file} as {imported.path}{rank}{lacks}{never}"
