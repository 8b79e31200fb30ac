"""Traces that others recorded, brought into a run of a log directory."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tbprof.errors import PublishError, TraceError
from tbprof.file_names import CLASSIC_SUFFIX, rank_of
from tbprof.records import dataclass
from tbprof.safe_open import open_regular
from tbprof.store.files import appearing, remove_abandoned_parts
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.export.inspection import Inspection, digest_of, inspect_trace
from tbprof.trace.export.published_trace import merge_facts
from tbprof.trace.importers.kineto_writer import Converted
from tbprof.trace.importers.sniffing import converter_of
from tbprof.window_names import parse_window_name

_EARLIEST_NS = 10**18
"""September 2001: a clock that shows less counts from when the machine started."""
_SIZE_BYTES = 4
"""At the end of a gzip file: its unpacked size, modulo 2^32."""
_ADVICE = {
    ".nsys-rep": "nsys export --type sqlite makes a file of it that can be imported",
    ".qdrep": "nsys export --type sqlite makes a file of it that can be imported",
    ".pftrace": "record with rocprofv3 --output-format json instead",
    ".csv": "record with rocprofv3 --output-format json instead",
}
"""What to do with a file of another format, by its ending."""


@dataclass(frozen=True, slots=True)
class Imported:
    path: Path
    is_new: bool
    """False where the run has the same trace already, at `path`."""
    rank: int | None
    lacks: tuple[str, ...]
    """Parts of a good recording that it has nothing of."""
    never_has: str
    """What no recording of its profiler has; empty for torch's."""


def import_trace(source: Path, run_folder: Path) -> list[Imported]:
    """Bring a file into a run, made if it is not there: a trace of each process that it holds.

    Each appears whole or not at all, takes no other's place, and is not brought in twice.

    Raises:
        TraceError: It gives nothing.
        PublishError: The run's folder can't be written to.
    """
    advice = _ADVICE.get(source.suffix)
    if advice is not None:
        raise TraceError(f"{source} is of a format that is not read: {advice}.")
    converter = converter_of(source)
    if converter is None:
        return [_bring_in(source, source, None, "", run_folder)]
    with tempfile.TemporaryDirectory(prefix="tbprof-") as folder:
        processes = converter.convert(source, Path(folder))
        return [
            _bring_in(process.path, source, process, converter.LACKS, run_folder) for process in processes
        ]


def is_within(path: Path, folder: Path) -> bool:
    """Whether a file lies beneath a folder, links followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _bring_in(
    trace: Path, source: Path, process: Converted | None, never_has: str, run_folder: Path
) -> Imported:
    seen = inspect_trace(trace)
    rank = rank_in_name(source.name) if seen.rank is None else seen.rank
    host, pid = ("", 0) if process is None else (process.host, process.pid)
    worker = worker_of(source.name, rank, host, pid)
    try:
        same = _same(run_folder, seen)
        path = same or _write(trace, run_folder, worker, _time_ns(source, seen))
    except OSError as error:
        raise PublishError(f"{run_folder} can't be written to ({error.strerror}): name another.") from error
    lacks = seen.lacks if process is None else tuple(part for part in seen.lacks if part == "steps")
    if process is not None and process.not_read:
        never_has = f"not read of it: {', '.join(process.not_read)}; {never_has}"
    return Imported(path, same is None, rank, lacks, never_has)


def _write(trace: Path, run_folder: Path, worker: str, time_ns: int) -> Path:
    is_new = not run_folder.exists()
    run_folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned_parts(run_folder)
    path = next(path for path in _free_names(run_folder, worker, time_ns) if not path.exists())
    try:
        with appearing(path) as file:
            merge_facts(trace, file, None)
    except (OSError, TraceError):
        if is_new:
            with contextlib.suppress(OSError):
                run_folder.rmdir()
        raise
    return path


def _free_names(run_folder: Path, worker: str, time_ns: int) -> Iterator[Path]:
    while True:
        yield run_folder / file_name_of(worker, time_ns)
        time_ns += 1


def _same(run_folder: Path, seen: Inspection) -> Path | None:
    """The trace of the run that holds the same bytes, whatever its name."""
    for path in sorted(run_folder.glob(f"*{CLASSIC_SUFFIX}")):
        if is_classic_copy(path):
            continue
        with contextlib.suppress(TraceError):
            if _size_mark(path) == seen.num_bytes % 2 ** (8 * _SIZE_BYTES) and digest_of(path) == seen.digest:
                return path
    return None


def _size_mark(path: Path) -> int:
    with open_regular(path) as file:
        file.seek(-_SIZE_BYTES, 2)
        return int.from_bytes(file.read(_SIZE_BYTES), "little")


def _time_ns(source: Path, seen: Inspection) -> int:
    """When it was recorded: by its name, by its rows, else when the file was written."""
    named = parse_window_name(source.name).time_ns
    if named is not None:
        return named
    return seen.start_ns if _EARLIEST_NS <= seen.start_ns < 2**63 else source.stat().st_mtime_ns


_DYNOLOG = re.compile(r"libkineto_activities_(\d+)")
_ACCELERATE = re.compile(r"profile_(\d+)")
_STAMP = re.compile(r"^\d{9,}(?:\.\d+)?-")
"""SGLang puts the time in front: `1718000000.12-TP-0`."""
_UNFIT = re.compile(r"[^\w-]+")
"""Neither tab reads names with more than letters, digits, hyphens and underlines reliably."""
_MOST_CHARACTERS = 120
_DEFAULT_RUN = "imported"


def worker_of(name: str, rank: int | None, host: str = "", pid: int = 0) -> str:
    """The worker of a trace: what its recording tells, else what the file's name does.

    >>> worker_of("libkineto_activities_77.json", 3)
    'dynolog_77_rank3'
    """
    worker = _STAMP.sub("", parse_window_name(name.removesuffix(".sqlite")).worker)
    if pid:
        worker = f"{host or worker}_{pid}"
    if (dynolog := _DYNOLOG.fullmatch(worker)) is not None:
        worker = f"dynolog_{dynolog[1]}"
    worker = _fit(worker)
    return worker if rank is None or rank_of(worker) == rank else f"{worker}_rank{rank}"


def rank_in_name(name: str) -> int | None:
    """The rank that a file's name tells, such as `profile_2.json` of Accelerate."""
    worker = parse_window_name(name).worker
    accelerate = _ACCELERATE.fullmatch(worker)
    return rank_of(worker) if accelerate is None else int(accelerate[1])


def file_name_of(worker: str, time_ns: int) -> str:
    return f"{worker}.{time_ns:019d}{CLASSIC_SUFFIX}"


def run_of(folder: Path) -> str:
    """The run of files that lie in a folder."""
    name = Path(os.path.realpath(folder)).name
    return _fit(name) if name else _DEFAULT_RUN


def _fit(name: str) -> str:
    return _UNFIT.sub("-", name).strip("-")[:_MOST_CHARACTERS] or _DEFAULT_RUN
