"""`tbprof classic PATH...`: copies that the standard PyTorch Profiler tab shows correctly."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.output_file import tell
from tbprof.cli.reading import local_path
from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import plain
from tbprof.standard_streams import put
from tbprof.store.discovery import Discovery
from tbprof.store.publishing import copy_classic
from tbprof.store.retention import CLASSIC_FOLDER
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.importers.sniffing import is_of_torch, looks_like_trace
from tbprof.window_names import parse_window_name

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands

_COULD_NOT = 2


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("classic")
    parser.add_argument("paths", type=local_path, nargs="+", metavar="PATH", help="a trace, or a folder")
    parser.add_argument(
        "--out",
        type=local_path,
        help=f"where to write; default: folders {CLASSIC_FOLDER!r} beside the traces",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Copy every trace; one that can't be copied costs one line on stderr and exit code 2.

    Raises:
        UsageError: There is nothing to copy, or two traces would get the same name.
    """
    traces = [trace for path in options.paths for trace in _traces(path)]
    if not traces:
        raise UsageError("there is no trace of torch.profiler in the folder: name a trace or another folder")
    folders = [options.out or trace.parent / CLASSIC_FOLDER for trace in traces]
    _refuse_equal_names(traces, folders)
    copied = [_copy(trace, folder) for trace, folder in zip(traces, folders, strict=True)]
    return 0 if all(copied) else _COULD_NOT


def _traces(path: Path) -> Iterator[Path]:
    """A folder may hold other formats as well, which the standard tab does not know."""
    if not path.is_dir():
        yield path
        return
    for window in Discovery(path, looks_like_trace).find().windows:
        if window.trace_path is not None and is_of_torch(window.trace_path):
            yield Path(window.trace_path)


def _refuse_equal_names(traces: Sequence[Path], folders: Sequence[Path]) -> None:
    seen: dict[tuple[Path, str], Path] = {}
    for trace, folder in zip(traces, folders, strict=True):
        other = seen.setdefault((folder, parse_window_name(trace.name).stem), trace)
        if other is not trace:
            raise UsageError(f"the copies of {other} and {trace} would have one name: copy one at a time")


def _copy(trace: Path, folder: Path) -> bool:
    if is_classic_copy(trace):
        tell(f"{trace} is such a copy: name the trace it was made of")
        return False
    try:
        put(plain(f"wrote {copy_classic(trace, folder)}") + "\n")
    except TbprofError as error:
        tell(str(error))
        return False
    except OSError as error:
        tell(f"{folder} can't be written to ({error.strerror})")
        return False
    return True
