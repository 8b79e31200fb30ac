"""What would spoil a measurement, looked at before it: a busy machine, a busy device, too little memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tbprof.preflight.proof.sides import git, top_of

_LOOK_SECONDS = 1.0
_BUSY_SHARE = 0.15
"""What others may take of all cores."""
_BUSY_DEVICE_PERCENT = 5
_LEAST_FREE_BYTES = 1 << 30


def hindrances() -> Iterator[str]:
    """Each reason not to measure now, as a clause."""
    busy = _busy_share()
    if busy is not None and busy > _BUSY_SHARE:
        yield f"other processes take {busy:.0%} of this machine's {os.cpu_count()} cores"
    free = _free_bytes()
    if free is not None and free < _LEAST_FREE_BYTES:
        yield f"only {free / 1e9:.1f} GB of memory are free"
    for number, use, memory in _devices():
        if use > _BUSY_DEVICE_PERCENT:
            yield f"GPU {number} is busy to {use} %, and {memory} MiB of its memory are taken"


def remarks(names: tuple[str, ...]) -> Iterator[str]:
    """What is worth knowing, and no reason to wait."""
    governors = {path.read_text(encoding="ascii").strip() for path in _governors()}
    if governors & {"powersave", "ondemand", "conservative"}:
        yield f"the cores change their frequency ({', '.join(sorted(governors))})"
    for name in names:
        if Path(name).is_dir() and (top := top_of(Path(name))) is not None:
            changed = git(top, "status", "--porcelain").stdout.decode(errors="replace").splitlines()
            if changed:
                yield f"{name} holds {len(changed)} file(s) that no commit has"


def _governors() -> list[Path]:
    return list(Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor"))


def _busy_share() -> float | None:
    """The share of all cores' time in the next second; None where the system does not say."""
    before = _core_times()
    if before is None:
        return None
    time.sleep(_LOOK_SECONDS)
    after = _core_times()
    assert after is not None
    whole = sum(after) - sum(before)
    idle = sum(after[3:5]) - sum(before[3:5])
    return 1 - idle / whole if whole else 0.0


def _core_times() -> list[int] | None:
    with suppress(OSError):
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
        return [int(each) for each in first.split()[1:9]]
    return None


def _free_bytes() -> int | None:
    with suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) * 1024
    return None


def _devices() -> Iterator[tuple[str, int, int]]:
    """Number, use in percent, memory in MiB of each device that nvidia-smi knows."""
    found = shutil.which("nvidia-smi")
    if found is None:
        return
    query = "--query-gpu=index,utilization.gpu,memory.used"
    said = subprocess.run(
        [found, query, "--format=csv,noheader,nounits"], capture_output=True, text=True, check=False
    )
    for line in said.stdout.splitlines() if said.returncode == 0 else ():
        with suppress(ValueError):
            number, use, memory = (each.strip() for each in line.split(","))
            yield number, int(use), int(memory)
