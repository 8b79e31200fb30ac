"""What `tbprof report` prints of a file that is no trace and has no windows.

Each kind imports what it needs when it is asked for: no two need the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from tbprof.cli.reading import OtherKind
from tbprof.errors import UsageError
from tbprof.records import dataclass

_FORMS = ("text", "json")


@dataclass(frozen=True, slots=True)
class _Other:
    what: str
    """Says in an error what the file is."""
    printed: Callable[[Path, bool], str]
    """What is printed of it, as JSON or as text."""


def other_text(kind: OtherKind, path: Path, options: argparse.Namespace) -> str:
    """All that is said of it.

    Raises:
        UsageError: It can't be read, or what is asked for needs windows.
    """
    other = _OTHERS[kind]
    if len(options.paths) > 1 or options.summary or options.fail_on or options.format not in _FORMS:
        raise UsageError(f"{path} {other.what}: name it alone, with --format text or json")
    return other.printed(path, options.format == "json")


def _out_of_memory(path: Path, is_json: bool) -> str:
    from tbprof.cli.memory_text import out_of_memory_json, out_of_memory_text
    from tbprof.store.out_of_memory_file import OUT_OF_MEMORY_FILE

    found = OUT_OF_MEMORY_FILE.read(path)
    return out_of_memory_json(found) if is_json else out_of_memory_text(found)


def _memory_step(path: Path, is_json: bool) -> str:
    from tbprof.cli.memory_text import memory_step_json, memory_step_text
    from tbprof.store.memory_file import MEMORY_STEP_FILE

    found = MEMORY_STEP_FILE.read(path)
    return memory_step_json(found) if is_json else memory_step_text(found)


def _run_time(path: Path, is_json: bool) -> str:
    from tbprof.cli.run_time_text import run_time_json, run_time_text
    from tbprof.store.run_times import RUN_TIME_FILE
    from tbprof.views.run_time_view import run_time_view

    view = run_time_view((RUN_TIME_FILE.read(path),))
    return run_time_json(view) if is_json else run_time_text(view)


def _snapshot(path: Path, is_json: bool) -> str:
    from tbprof.cli.memory_text import snapshot_json, snapshot_text
    from tbprof.snapshot import read_snapshot

    found = read_snapshot(path)
    return snapshot_json(found) if is_json else snapshot_text(found)


_OTHERS: Mapping[OtherKind, _Other] = {
    "out_of_memory": _Other("tells of an allocation that failed", _out_of_memory),
    "memory_step": _Other("tells what held memory", _memory_step),
    "run_time": _Other("tells where the time of a run went", _run_time),
    "snapshot": _Other("is a snapshot of torch's allocator", _snapshot),
}
