"""What stands on a disk after a run, and whether it is whole."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tbprof.errors import TbprofError
from tbprof.hook.run_summary import RUN_WARNINGS_PREFIX
from tbprof.store.run_times import RUN_TIME_FILE
from tbprof.store.windows import read_report
from tbprof.trace.importers.kineto.reader import read_trace

NOTHING = "nothing published"

USEFUL_IN_SPOOL = (".facts.json", ".log", ".broken")
"""Beside a window that waits, or to be read by who looks for the reason; the next start clears them."""


@dataclass
class Remains:
    """Windows by their names, and the paths of what should not be there."""

    traces: set[str] = field(default_factory=set)
    """Windows whose trace is in the log directory, whole."""
    published: set[str] = field(default_factory=set)
    """Those of them whose report is there as well, whole."""
    waiting: set[str] = field(default_factory=set)
    """Windows that stand whole in the spool."""
    corrupt: list[str] = field(default_factory=list)
    """Files under a published name that can't be read to their end."""
    leftovers: list[str] = field(default_factory=list)
    """Files of the log directory and the spool that belong to no window."""


def look_at(watched: Path) -> Remains:
    """Read every file of a log directory `logs` and a spool `spool`."""
    seen = Remains()
    reports = set()
    for path in _files(watched / "logs"):
        kind, window = _kind(path), path.name.split(".")[1]
        if not is_published(path):
            seen.leftovers.append(str(path.relative_to(watched)))
        elif not is_whole(path):
            seen.corrupt.append(str(path.relative_to(watched)))
        elif kind == "trace":
            seen.traces.add(window)
        elif kind == "report":
            reports.add(window)
    seen.published = seen.traces & reports
    for path in _files(watched / "spool"):
        if _waits_whole(path):
            seen.waiting.add(path.name.split(".")[1])
        elif not path.name.endswith(USEFUL_IN_SPOOL) and not path.name.startswith(RUN_WARNINGS_PREFIX):
            seen.leftovers.append(str(path.relative_to(watched)))
    return seen


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def is_published(path: Path) -> bool:
    """Whether a file of a log directory has a name by which viewers look for it."""
    return _kind(path) != NOTHING


def _kind(path: Path) -> str:
    kinds = {
        r"classic/.*\.pt\.trace\.json\.gz": "trace of the standard tab",
        r".*\.trace\.json(\.gz)?": "trace",
        r".*\.tbprof\.pb": "report",
        r".*\.run_time\.json": "run time",
        r"tbprof/events\.out\.tfevents.*": "events",
    }
    name = f"{path.parent.name}/{path.name}"
    if path.name.startswith("."):
        return NOTHING
    return next((kind for form, kind in kinds.items() if re.fullmatch(form, name)), NOTHING)


def is_whole(path: Path) -> bool:
    """Whether a published file can be read to its end."""
    kind = _kind(path)
    try:
        if kind == "events":
            return len(list(_records(path.read_bytes()))) == 2
        if kind == "report":
            return bool(read_report(str(path)).steps)
        if kind == "run time":
            return RUN_TIME_FILE.read(path).steps > 0
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return bool(json.loads(content)["traceEvents"]) and bool(read_trace(path).names)
    except (OSError, EOFError, ValueError, TbprofError):
        return False


def _records(content: bytes) -> Iterator[bytes]:
    """The records of an event file: a length, its checksum, the data, their checksum."""
    while content:
        length = int.from_bytes(content[:8], "little")
        if len(content) < length + 16:
            raise EOFError
        yield content[12 : length + 12]
        content = content[length + 16 :]


def _waits_whole(trace: Path) -> bool:
    if not trace.name.endswith(".pt.trace.json"):
        return False
    facts = trace.with_name(trace.name.removesuffix(".pt.trace.json") + ".facts.json")
    with contextlib.suppress(OSError, ValueError):
        json.loads(facts.read_bytes())
        return bool(json.loads(trace.read_bytes())["traceEvents"])
    return False
