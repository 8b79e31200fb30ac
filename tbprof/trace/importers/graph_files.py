"""The files beside a trace that say where the kernels of CUDA graphs come from; none is read here.

A graph's kernels are launched by no operator when it is replayed. What the program did while it was recorded
torch hands out, for the program to keep: annotations of `mark_kernels`, pickled or as JSON, and the stacks of
`dump_kernel_py_stacks`. Torch's own joiner looks for `kernel_annotations_rank0_*.pkl` in the folder above a
trace whose name begins with its rank; else torch names no file, so a name must say what it holds.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from tbprof.safe_open import FileState, file_state, is_confined

# Not compiled here: every command imports this, few look at a folder.
_TELLS = r"(?i)(?=.*(?:annotations|stacks)).*\.(?:pkl|pickle|json|json\.gz|gz)\Z"
_NO_NOTES = r"(?i).*\btrace\.json(?:\.gz)?\Z"
"""A trace with stacks may be called so."""
_ABOVE = r"kernel_annotations_rank\d+_.*\.pkl\Z"
_RANK = r"(?i)rank[_-]?(\d{1,9})(?!\d)"
_BEGINS_WITH_RANK = r"(\d{1,9})(?!\d)"


def graph_files(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Files that may say more of the trace at `path`: those of its rank, or of none, by their names."""
    trace = Path(path)
    begins = re.match(_BEGINS_WITH_RANK, trace.name)
    named = re.search(_RANK, trace.name) or begins
    rank = int(named[1]) if named else 0
    found = [trace.parent / name for name in _names(trace.parent, _TELLS) if not re.match(_NO_NOTES, name)]
    if begins and not is_confined(trace.parent):
        found += [trace.parent.parent / name for name in _names(trace.parent.parent, _ABOVE)]
    return tuple(file for file in found if file != trace and _rank_of(file) in (None, rank))


def state_of_graph_files(path: str | os.PathLike[str]) -> tuple[FileState, ...]:
    """What tells that such a file came, went or was written again; nothing where there are none."""
    states = []
    for file in graph_files(path):
        try:
            states.append(file_state(file.stat()))
        except OSError:
            continue
    return tuple(states)


def _rank_of(file: Path) -> int | None:
    named = re.search(_RANK, file.name)
    return int(named[1]) if named else None


def _names(folder: Path, pattern: str) -> tuple[str, ...]:
    try:
        return _listed(str(folder), folder.stat().st_mtime_ns, pattern)
    except OSError:
        return ()


@lru_cache(maxsize=64)
def _listed(folder: str, _changed_ns: int, pattern: str) -> tuple[str, ...]:
    """A folder may hold thousands of traces, each of which asks; the time tells that names have changed."""
    matches = re.compile(pattern).match
    with os.scandir(folder) as entries:
        return tuple(sorted(entry.name for entry in entries if matches(entry.name)))
