"""What the user asked of the hook, checked once."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

from tbprof.errors import RemoteError, UsageError
from tbprof.hook.arguments import check_whole_number
from tbprof.hook.options import AnyPath, HookOptions, RecordOptions
from tbprof.hook.schedule import Schedule
from tbprof.hook.spool import check_spool, spool_bases
from tbprof.remote.address import checked_address, is_address, local_folder_of
from tbprof.remote.outbox import outbox_of

_LONGEST_STALL_MS = 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HookConfig(HookOptions):
    """A request that can be carried out."""

    logdir: Path
    """Absolute; of a remote one, the folder in which windows wait until they are there."""
    address: str | None = None
    """The address of a remote log directory."""
    schedule: Schedule = dataclasses.field(default=Schedule())
    spool: Path | None = None
    """Absolute; None: the user's cache folder, or what TBPROF_SPOOL says when the first window begins."""

    @property
    def place(self) -> str:
        """The log directory as a person names it."""
        return self.address or str(self.logdir)

    @property
    def memory_schedule(self) -> Schedule | None:
        """When storages are followed besides the steps after windows; None: at no other time."""
        return self.memory if isinstance(self.memory, Schedule) and self.address is None else None

    @property
    def follows_memory_behind_windows(self) -> bool:
        """Files of memory are written to a folder of this machine only."""
        return self.memory is True and self.address is None

    @property
    def first_start(self) -> int:
        """How many steps are over when there is something to do for the first time."""
        steps = (self.schedule.first_start, *self._first_memory_step())
        return min(steps)

    def _first_memory_step(self) -> tuple[int, ...]:
        schedule = self.memory_schedule
        return () if schedule is None else (schedule.steps_before_recording,)

    @property
    def options(self) -> RecordOptions:
        """torch.profiler's share of it."""
        names = [option.name for option in dataclasses.fields(RecordOptions)]
        return RecordOptions(**{name: getattr(self, name) for name in names})

    @property
    def max_stall_ns(self) -> int:
        """`max_stall_ms` as the hook measures it."""
        return round(self.max_stall_ms * 1e6)

    @property
    def keep_arguments(self) -> tuple[str, ...]:
        """What the publishing process gets of it."""
        to = () if self.address is None else ("--to", self.address)
        return ("--keep-windows", str(self.keep_windows), "--keep-bytes", str(self.keep_bytes), *to)


def checked_config(logdir: AnyPath, options: HookOptions) -> HookConfig:
    """Check what is asked of a hook.

    Raises:
        UsageError: something of it can't be used.
    """
    check_whole_number("TrainerHook", "keep_windows", options.keep_windows, least=1)
    check_whole_number("TrainerHook", "keep_bytes", options.keep_bytes, least=1)
    _check_stall(options.max_stall_ms)
    schedule = Schedule() if options.schedule is None else options.schedule
    if not isinstance(schedule, Schedule):
        raise UsageError(f"TrainerHook: schedule is {schedule!r}; give a tbprof.Schedule(...).")
    _check_memory(options.memory)
    given = {option.name: getattr(options, option.name) for option in dataclasses.fields(HookOptions)}
    spool = None if options.spool is None else _absolute("spool", options.spool)
    address = _address(logdir)
    folder = _absolute("logdir", logdir) if address is None else _outbox(address, spool)
    if spool is not None:
        check_spool(spool, folder)
    checked = {"logdir": folder, "address": address, "schedule": schedule, "spool": spool}
    return HookConfig(**{**given, **checked})


def _check_memory(memory: object) -> None:
    if not isinstance(memory, bool | Schedule):
        raise UsageError(f"TrainerHook: memory is {memory!r}; give True, False or a tbprof.Schedule(...).")
    if isinstance(memory, Schedule) and memory.slow_steps is not None:
        raise UsageError("TrainerHook: slow_steps begin windows; leave them out of the schedule of memory.")


def _check_stall(max_stall_ms: float) -> None:
    is_number = isinstance(max_stall_ms, (int, float)) and not isinstance(max_stall_ms, bool)
    if not is_number or not 0 < max_stall_ms < _LONGEST_STALL_MS:
        raise UsageError(f"TrainerHook: max_stall_ms is {max_stall_ms!r}; give milliseconds, such as 250.")


def _address(logdir: AnyPath) -> str | None:
    """None for a folder of this machine."""
    text = _spelled(logdir)
    if not is_address(text) or local_folder_of(text) is not None:
        return None
    try:
        return checked_address(text)
    except RemoteError as error:
        raise UsageError(f"TrainerHook: {error}.") from error


def _outbox(address: str, spool: Path | None) -> Path:
    # No folder of this machine is the log directory, which a spool must not lie beneath.
    bases = spool_bases(Path(os.devnull), spool)
    if not bases:
        raise UsageError(f"TrainerHook: windows for {address} have no place to wait; give spool=...")
    return outbox_of(bases[0], address)


def _absolute(name: str, folder: AnyPath) -> Path:
    """The folder as seen now: a training that changes its directory later means the same one."""
    path = _spelled(folder)
    if not path:
        raise UsageError(f"TrainerHook: {name} is {folder!r}; give the path of a folder.")
    local = local_folder_of(path)
    if local is None and is_address(path):
        raise UsageError(f"TrainerHook: {name} is {path!r}; give a folder of this machine.")
    return Path(local or path).absolute()


def _spelled(path: object) -> str:
    """A path as text; "" of what is none."""
    spelled = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    return spelled if isinstance(spelled, str) else ""
