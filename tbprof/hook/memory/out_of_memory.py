"""An allocation that failed under the hook: what was asked for, what was there, and what held it.

The exception itself is the source: torch's message says what was asked for, and its traceback where. It goes
on unchanged.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from tbprof.file_names import OUT_OF_MEMORY_SNAPSHOT_SUFFIX, OUT_OF_MEMORY_SUFFIX
from tbprof.hook.hook_config import HookConfig
from tbprof.hook.memory.allocator_snapshot import FailedAllocation, latest_failure
from tbprof.hook.memory.live_tensors import held_tensors
from tbprof.hook.memory.memory_step import leave_file
from tbprof.hook.window.facts import rank_and_world_size, worker_name
from tbprof.model import OutOfMemory
from tbprof.process.beside import within

_SCHEMA = 1
_LONGEST_MESSAGE = 2000
_MOST_FRAMES = 30
_MOST_CAUSES = 5
_PATIENCE_S = 30.0
"""The program is at its end; its log directory may not answer."""
_MOST_FILES = 50
"""In a run: a job that is started again and again has other workers each time. The tab lists as many."""

_MOST_SNAPSHOTS = 8
"""In a run, one a GPU of a machine: each may have 32 MiB."""

_CPU = re.compile(r"can't allocate memory|DefaultCPUAllocator: not enough memory|Unable to allocate")
"""The messages of c10/core/impl/alloc_cpu.cpp, and NumPy's."""
_GPU_NUMBER = re.compile(r"GPU (\d+)")
_ASKED_BYTES = re.compile(r"tried to allocate (\d+) bytes")
_ASKED = re.compile(r"(?:Tried|Unable) to allocate ([\d.]+) (bytes|[KMGTPE]iB)")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def memory_error(error: BaseException) -> BaseException | None:
    """The error that says that memory ran out: this one, or one that it was raised because of."""
    for _ in range(_MOST_CAUSES):
        is_host = isinstance(error, MemoryError) or (
            isinstance(error, RuntimeError) and _CPU.search(_text_of(error)) is not None
        )
        if is_host or isinstance(error, torch.OutOfMemoryError):
            return error
        cause = error.__context__ if error.__cause__ is None else error.__cause__
        if cause is None:
            break
        error = cause
    return None


def _text_of(error: BaseException) -> str:
    """What it says without a method of the program's, whose class it may be."""
    said = error.args[0] if len(error.args) == 1 else ""
    return said if type(said) is str else ""


def look_at(
    error: BaseException,
    worker: str,
    steps_taken: int,
    seen: FailedAllocation | None = None,
    *,
    left_on: BaseException | None = None,
) -> OutOfMemory:
    """All that can be known of a `memory_error` now, while its traceback holds what the functions held.

    Args:
        error: The one that says it.
        worker: Whose it is.
        steps_taken: Before it.
        seen: What the allocator of its device said when it failed, where that was watched.
        left_on: What the program leaves on, where that was raised because of it.
    """
    message, device = _text_of(error), gpu_of(error)
    is_address_limit = device.type == "cpu" and _address_limit() is not None
    if seen is not None:
        total: int | None = seen.total_bytes
        free: int | None = seen.free_bytes
        allocated, reserved = seen.allocated_bytes, seen.reserved_bytes
    else:
        total, free, allocated, reserved = _of_host() if device.type == "cpu" else _of_gpu(device)
    return OutOfMemory(
        schema=_SCHEMA,
        worker=worker,
        step=steps_taken,
        device="CPU" if device.type == "cpu" else f"GPU {device.index}",
        message=message[:_LONGEST_MESSAGE],
        frames=_frames(error, error if left_on is None else left_on),
        asked_bytes=_asked_bytes(message),
        total_bytes=total,
        free_bytes=free,
        allocated_bytes=allocated,
        reserved_bytes=reserved,
        is_address_limit=is_address_limit,
        held=held_tensors(device),
    )


def write_beside_windows(found: OutOfMemory, logdir: Path, snapshot: bytes | None = None) -> Path:
    """Leave it in the run's folder, whole or not at all, in the place of the oldest where there are many.

    Raises:
        OSError: It could not be written.
    """
    stem = f"{found.worker}.{time.time_ns()}"
    path = logdir / f"{stem}{OUT_OF_MEMORY_SUFFIX}"
    within(_PATIENCE_S, partial(leave_file, found, path, _MOST_FILES, of_all_workers=True))
    if snapshot is not None:
        with contextlib.suppress(OSError):
            beside = logdir / f"{stem}{OUT_OF_MEMORY_SNAPSHOT_SUFFIX}"
            within(_PATIENCE_S, partial(leave_file, snapshot, beside, _MOST_SNAPSHOTS, of_all_workers=True))
    return path


def gpu_of(error: BaseException) -> torch.device:
    """The device whose memory ran out; the CPU where it was no GPU's."""
    if not isinstance(error, torch.OutOfMemoryError):
        return torch.device("cpu")
    number = _GPU_NUMBER.search(_text_of(error))
    return torch.device("cuda", int(number[1]) if number else 0)


def _frames(error: BaseException, left_on: BaseException) -> tuple[str, ...]:
    """The innermost first; of an error that was caught, the way out is that of the one raised instead."""
    return tuple(dict.fromkeys((*_frames_of(error), *_frames_of(left_on))))[:_MOST_FRAMES]


def _frames_of(error: BaseException) -> Iterator[str]:
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    return (f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))


def _asked_bytes(message: str) -> int | None:
    if exact := _ASKED_BYTES.search(message):
        return int(exact[1])
    if said := _ASKED.search(message):
        return int(float(said[1]) * 1024 ** _UNITS.index(said[2]))
    return None


def _of_gpu(device: torch.device) -> tuple[int | None, ...]:
    """Total, free, allocated and reserved; None where the device does not answer, or is none of CUDA's."""
    try:
        free, total = torch.cuda.mem_get_info(device)
        return total, free, torch.cuda.memory_allocated(device), torch.cuda.memory_reserved(device)
    except (RuntimeError, AssertionError):
        # The latter is what a torch that was built without CUDA raises.
        return None, None, None, None


def _of_host() -> tuple[int | None, ...]:
    """The same of the process; each None where the system does not say it."""
    known = {**_kilobytes("/proc/meminfo"), **_kilobytes("/proc/self/status")}
    total, free, used = (known.get(name) for name in ("MemTotal", "MemAvailable", "VmRSS"))
    limit = _address_limit()
    if limit is not None:
        size = known.get("VmSize")
        return limit, None if size is None else max(limit - size, 0), size, None
    return total, free, used, None


def _kilobytes(path: str) -> dict[str, int]:
    """In bytes, what a file of Linux has in kB; nothing where there is no such file."""
    file = Path(path)
    if not file.exists():
        return {}
    lines = (line.split() for line in file.read_text(encoding="ascii", errors="replace").splitlines())
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if words[-1:] == ["kB"]}


def _address_limit() -> int | None:
    """What `ulimit -v` allows the process; None without a limit, and on Windows."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


logger = logging.getLogger("tbprof")


def uncaught_error() -> BaseException | None:
    """At the end of the process, what it ends on; None where it ends well, and where a person types."""
    return None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)


def explain_out_of_memory(error: BaseException, config: HookConfig, steps_taken: int) -> None:
    """Write a file where this error, or what it was raised for, is about memory; else do nothing."""
    failed = memory_error(error)
    # What is sent to another host are windows.
    if failed is None or config.address is not None:
        return
    worker = worker_name(config.worker, rank_and_world_size()[0])
    device = gpu_of(failed)
    seen = None if device.type == "cpu" else latest_failure(device.index)
    found = look_at(failed, worker, steps_taken, seen, left_on=error)
    path = write_beside_windows(found, config.logdir, None if seen is None else seen.snapshot)
    logger.warning("Memory ran out after %d steps. What held it: tbprof report %s", steps_taken, path)
