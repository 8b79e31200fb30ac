"""What a trace of others is called in a log directory, so that both tabs list it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tbprof.file_names import CLASSIC_SUFFIX, rank_of
from tbprof.window_names import parse_window_name

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
