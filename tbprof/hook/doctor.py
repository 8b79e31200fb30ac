"""`python -m tbprof.hook.doctor LOGDIR`: what stands in the way of a good recording, a sentence each.

It prints one object of JSON: `recording` is in the way of the next one, `runs` is what the last ones left,
`notes` is no fault.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from tbprof.errors import UsageError
from tbprof.hook.orphan_recovery import left_behind
from tbprof.hook.run_summary import RUN_WARNINGS_PREFIX
from tbprof.hook.safety.cuda_device import old_torch_problem
from tbprof.hook.spool import open_spool, spool_bases
from tbprof.safe_open import content_within

LEAST_FREE_BYTES = 2 * 1000**3
"""A window of a large training takes some hundred MB before it is packed."""

_OTHER_TOOLS = ("CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID", "ROCPROFILER_REGISTER_ENABLED")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is missing."""
    parser = argparse.ArgumentParser(prog="tbprof doctor")
    parser.add_argument("logdir", type=Path)
    options = parser.parse_args(arguments)
    logdir = options.logdir.absolute()
    said = {
        "recording": [*torch_problems(), *environment_problems(os.environ), *folder_problems(logdir)],
        "runs": list(past_problems(logdir)),
        "notes": list(gpu_notes()),
    }
    # As ASCII, since the name of a folder may be no Unicode.
    sys.stdout.write(json.dumps(said) + "\n")


def torch_problems() -> Iterator[str]:
    """What torch, its build or its driver lack."""
    too_old = old_torch_problem()
    if too_old is not None:
        yield too_old
    if not torch.profiler.kineto_available():
        yield "This torch was built without Kineto, so that it records nothing; install an official build."
        return
    if torch.xpu.is_available() or not torch.cuda.is_available():
        return
    if ProfilerActivity.CUDA not in torch.profiler.supported_activities():
        yield "This torch was built without CUPTI or roctracer, so that no GPU work is recorded."
    else:
        yield from _trial_problems()


def gpu_notes() -> Iterator[str]:
    """A note that there is no GPU, which is no fault where predictions are wanted."""
    if not torch.xpu.is_available() and not torch.cuda.is_available():
        build = torch.version.cuda or torch.version.hip
        why = f"built for {build}; check the driver" if build else "built for the CPU only"
        yield f"torch sees no GPU ({why}): a recording predicts the lines that would wait, without times."


def _trial_problems() -> Iterator[str]:
    try:
        recorded = _records_device_work()
    except RuntimeError as error:
        # A full device, one that another process has for itself, a driver that is too old.
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        yield f"A trial could not use the GPU, so it is unknown whether its work can be recorded: {reason}."
        return
    if not recorded:
        yield (
            "A trial recorded no GPU work: another tool holds CUPTI (Nsight, DCGM: dcgmi profile --pause),"
            " or this user may not profile (NVreg_RestrictProfilingToAdminUsers=0; --cap-add SYS_ADMIN)."
            if torch.version.hip is None
            else "A trial recorded no GPU work: another tool (rocprof) holds roctracer."
        )


def environment_problems(environment: Mapping[str, str]) -> Iterator[str]:
    """Variables that make a recording wrong or empty."""
    for name in ("CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL"):
        if environment.get(name, "0") not in ("", "0"):
            yield f"{name} is set: every launch waits for the GPU, so no figure is meaningful; unset it."
    for name in _OTHER_TOOLS:
        if environment.get(name):
            yield f"{name} is set: another profiling tool may hold the GPU's events; run without it."


def folder_problems(logdir: Path) -> Iterator[str]:
    """Places that can't be written to, or are nearly full."""
    existing = next(folder for folder in (logdir, *logdir.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        yield f"{logdir} can't be written to: name another folder."
    try:
        spool = open_spool(logdir, None)
    except UsageError as error:
        yield str(error)
        return
    free_bytes = shutil.disk_usage(spool).free
    if free_bytes < LEAST_FREE_BYTES:
        yield (
            f"{spool} has {free_bytes / 1000**2:.0f} MB left: give windows more room with the variable"
            " TBPROF_SPOOL."
        )
    spool.rmdir()
    with contextlib.suppress(OSError):
        # Others of this log directory may have theirs beside it.
        spool.parent.rmdir()


def _records_device_work() -> bool:
    """Whether a kernel that is launched now shows up."""
    # The first recording of a process sets CUPTI up and may miss what is short.
    for _ in range(2):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            torch.ones(1024, device="cuda").sum().item()
    return any(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events())


_MOST_BYTES = 16 * 1024 * 1024


def past_problems(logdir: Path) -> Iterator[str]:
    """Warnings of the runs in and below a folder, and the windows of theirs that still wait.

    Only what lies in the user's cache folder, or in TBPROF_SPOOL, is found.
    """
    try:
        bases = spool_bases(logdir, None)
    except UsageError:
        # No run could use that place; what is wrong with it is said of the folder itself.
        return
    for base in bases:
        yield from _run_warnings(base, logdir)
    for left in left_behind(logdir):
        if left.waiting:
            yield f"{left.run}: windows that were never published: {left.waiting}; tbprof publish {left.run}"
        if left.unfinished:
            yield f"{left.run}: windows whose process ended while they were written: {left.unfinished}."


def _run_warnings(base: Path, logdir: Path) -> Iterator[str]:
    """What was said, of runs as well whose folder was never made."""
    for path in sorted(base.glob(f"*/{RUN_WARNINGS_PREFIX}*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(content_within(path, _MOST_BYTES))
            run, ended = Path(kept["logdir"]), datetime.fromtimestamp(path.stat().st_mtime)
            if run.is_relative_to(logdir):
                yield from (f"{run}, run that ended {ended:%Y-%m-%d %H:%M}: {said}" for said in kept["said"])


if __name__ == "__main__":
    main()
