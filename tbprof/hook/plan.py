"""What the user asked of the hook, checked once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.arguments import check_whole_number
from tbprof.hook.options import RecordOptions
from tbprof.hook.schedule import Schedule
from tbprof.hook.spool import check_spool

__all__ = ["AnyPath", "Plan", "checked_plan"]

_LONGEST_STALL_MS = 3_600_000

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that can be carried out; paths are absolute."""

    logdir: Path
    schedule: Schedule
    options: RecordOptions
    worker: str | None
    """None: named after host and process."""
    spool: Path | None
    """None: the user's cache folder, or what TBPROF_SPOOL says when the first window begins."""
    record_lines: bool = True
    """Whether an audit step follows each window."""
    sync_callbacks: bool = False
    """Whether the audit step hears of waits through callbacks that stay in this process."""
    embed_source: bool = True
    """Whether the code around recorded lines is kept with them."""
    max_stall_ns: int = 250_000_000
    """How long the end of a window may hold the training up."""
    keep_windows: int = 20
    """Windows of each worker that keep their raw trace."""
    keep_bytes: int = 5_000_000_000
    """Published files of the run, in all."""

    @property
    def keep_arguments(self) -> tuple[str, ...]:
        """What the publishing process is told of it."""
        return ("--keep-windows", str(self.keep_windows), "--keep-bytes", str(self.keep_bytes))


def checked_plan(
    logdir: AnyPath,
    schedule: Schedule | None,
    options: RecordOptions,
    worker: str | None,
    spool: AnyPath | None,
    *,
    record_lines: bool = True,
    sync_callbacks: bool = False,
    embed_source: bool = True,
    max_stall_ms: float = 250,
    keep_windows: int = 20,
    keep_bytes: int = 5_000_000_000,
) -> Plan:
    """Check the arguments of a hook.

    Raises:
        UsageError: one of them can't be used.
    """
    check_whole_number("TrainerHook", "keep_windows", keep_windows, least=1)
    check_whole_number("TrainerHook", "keep_bytes", keep_bytes, least=1)
    plan = Plan(
        logdir=_absolute("logdir", logdir),
        schedule=Schedule() if schedule is None else schedule,
        options=options,
        worker=worker,
        spool=None if spool is None else _absolute("spool", spool),
        record_lines=record_lines,
        sync_callbacks=sync_callbacks,
        embed_source=embed_source,
        max_stall_ns=_stall_ns(max_stall_ms),
        keep_windows=keep_windows,
        keep_bytes=keep_bytes,
    )
    if not isinstance(plan.schedule, Schedule):
        raise UsageError(f"TrainerHook: schedule is {schedule!r}; give a tbprof.Schedule(...).")
    if plan.spool is not None:
        check_spool(plan.spool, plan.logdir)
    return plan


def _stall_ns(max_stall_ms: float) -> int:
    is_number = isinstance(max_stall_ms, (int, float)) and not isinstance(max_stall_ms, bool)
    if not is_number or not 0 < max_stall_ms < _LONGEST_STALL_MS:
        raise UsageError(f"TrainerHook: max_stall_ms is {max_stall_ms!r}; give milliseconds, such as 250.")
    return round(max_stall_ms * 1e6)


def _absolute(name: str, folder: AnyPath) -> Path:
    """The folder as seen now: a training that changes its directory later means the same one."""
    path = os.fspath(folder)
    if not isinstance(path, str) or not path:
        raise UsageError(f"TrainerHook: {name} is {folder!r}; give the path of a folder.")
    if "://" in path:
        raise UsageError(f"TrainerHook: {name} is {path!r}; give a folder of this machine.")
    return Path(path).absolute()
