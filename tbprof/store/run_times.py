"""The files of a run that say where its whole time went, and reports that say what its steps were like."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tbprof.errors import TbprofError, UsageError
from tbprof.file_names import REPORT_SUFFIX, RUN_TIME_SUFFIX, rank_of
from tbprof.model import Report
from tbprof.model.run_time import RUN_PARTS, PartTime, Pause, RunTime
from tbprof.records import dataclass
from tbprof.store.memory_files import SCHEMA, HookFile
from tbprof.window_names import parse_window_name

_MOST_FILES = 1024
_MOST_REPORTS = 8
"""One for each of as many ranks: those of a job are idle for much the same time."""


def _parsed(said: Any) -> RunTime:
    end, rank, step_ns = said["end"], said["rank"], said["step_ns"]
    if end not in ("", "closed", "error"):
        raise ValueError
    return RunTime(
        schema=SCHEMA,
        worker=str(said["worker"]),
        rank=None if rank is None else int(rank),
        began_ns=int(said["began_ns"]),
        wall_ns=int(said["wall_ns"]),
        end=end,
        first_step=int(said["first_step"]),
        steps=int(said["steps"]),
        step_ns=None if step_ns is None else int(step_ns),
        has_gpu=bool(said["has_gpu"]),
        parts=tuple(
            PartTime(_known(one["part"]), int(one["ns"]), int(one["count"])) for one in said["parts"]
        ),
        lengths=tuple((int(below_ns), int(number)) for below_ns, number in said["lengths"]),
        pauses=tuple(
            Pause(_known(one["part"]), int(one["at_ns"]), int(one["ns"]), int(one["step"]), str(one["place"]))
            for one in said["pauses"]
        ),
    )


def _known(part: Any) -> Any:
    if part not in RUN_PARTS:
        raise ValueError
    return part


RUN_TIME_FILE = HookFile("where the time of a run went", _parsed)


@dataclass(frozen=True, slots=True)
class RunTimes:
    """What a run's folder says of its whole time."""

    times: tuple[RunTime, ...] = ()
    problems: tuple[str, ...] = ()
    """Sentences about files that give nothing."""
    reports: tuple[Report, ...] = ()
    """The newest of some ranks."""


def run_time_files(folder: Path) -> list[Path]:
    """The newest of these files, by their names; a link is none."""
    try:
        with os.scandir(folder) as entries:
            found = [
                entry.name
                for entry in entries
                if entry.name.endswith(RUN_TIME_SUFFIX) and entry.is_file(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [folder / name for name in sorted(found, key=_time_ns)[-_MOST_FILES:]]


def run_times_in(folders: Iterable[Path], *, with_reports: bool = True) -> RunTimes:
    """All that is there; a file that gives nothing costs a sentence."""
    times, problems, reports = list[RunTime](), list[str](), list[Report]()
    for folder in folders:
        files = run_time_files(folder)
        for path in files:
            try:
                times.append(RUN_TIME_FILE.read(path))
            except UsageError as error:
                problems.append(f"{error}.")
        if files and with_reports:
            reports += _newest_reports(folder)
    return RunTimes(tuple(times), tuple(problems), tuple(reports))


def _newest_reports(folder: Path) -> list[Report]:
    # TensorBoard's process names the files and reads no report.
    from tbprof.store.report_cache import report_of_file

    newest: dict[object, tuple[int, Path]] = {}
    for path in folder.glob(f"*{REPORT_SUFFIX}"):
        name = parse_window_name(path.name)
        rank = rank_of(name.worker)
        key: object = name.worker if rank is None else rank
        newest[key] = max(newest.get(key, (-1, path)), (name.time_ns or 0, path))
    found = []
    for _, path in sorted(newest.values(), reverse=True)[:_MOST_REPORTS]:
        try:
            found.append(report_of_file(path, use_cache=False))
        except (TbprofError, OSError):
            # Who shows the window says what is wrong with it.
            continue
    return found


def _time_ns(name: str) -> int:
    digits = name.removesuffix(RUN_TIME_SUFFIX).rpartition(".")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 20 else 0
