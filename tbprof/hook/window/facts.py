"""What the hook knows about a window and its trace does not hold."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from tbprof.hook.options import RecordOptions
from tbprof.hook.processes import process_label
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window.live_objects import live_loaders_and_optimizers
from tbprof.hook.window.settings import compiler_facts, environment, git_commit, settings
from tbprof.model import FACTS_SCHEMA, GarbageCollections, HookFacts, StepCounts
from tbprof.safe_open import replace_whole
from tbprof.version import __version__

NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")

_HALF_PAIR = re.compile("[\ud800-\udfff]")

LONGEST_WORKER = 150
"""Bytes. File systems take names of 255; time stamp and suffixes need their part."""


@dataclasses.dataclass(frozen=True, slots=True)
class WindowFacts:
    """What was counted and measured while one window was recorded."""

    window: int
    first_step: int
    recorded_steps: int
    unprofiled_step_ns: int | None
    profiled_step_ns: int | None
    counters: Mapping[str, int]
    begun_by: str = "schedule"
    phase: str = "training"
    phases_left_out: tuple[str, ...] = ()
    unprofiled_quartiles_ns: tuple[int, ...] = ()
    unprofiled_device_step_ns: int | None = None
    cold_steps_ns: tuple[int, ...] = ()
    step_counters: tuple[StepCounts, ...] = ()
    profiler_start_ns: int | None = None
    collections: GarbageCollections | None = None


def rank_and_world_size() -> tuple[int | None, int | None]:
    """Rank and size of torch.distributed where it is initialized, else of the launcher's environment."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return _number(os.environ, "RANK"), _number(os.environ, "WORLD_SIZE")


def worker_name(asked_for: str | None, rank: int | None) -> str:
    """`<host>_<pid>` or the name asked for, and `_rank<r>`; with nothing that a viewer trips over."""
    name = re.sub(r"[^\w-]", "-", asked_for or process_label())
    suffix = "" if rank is None else f"_rank{rank}"
    return name.encode()[:LONGEST_WORKER].decode(errors="ignore").removesuffix(suffix) + suffix


def collect_facts(
    worker: str, options: RecordOptions, window: WindowFacts, missing: MissingFacts
) -> HookFacts:
    """Join what was measured with what torch says about itself and the machine.

    Nothing of that is worth a window: what can't be had is named in `missing`.
    """
    ask = missing.ask
    rank, world_size = ask("rank", rank_and_world_size, (None, None))
    loaders, optimizers = ask("loaders", lambda: live_loaders_and_optimizers(missing), ((), ()))
    asked: dict[str, Any] = {
        "driver_version": ask("driver_version", _driver_version, None),
        "device_names": ask("device_names", _device_names, ()),
        "settings": ask("settings", lambda: settings(missing), {}),
        "environment": ask("environment", environment, {}),
        "git_commit": ask("git_commit", _git_commit, None),
        "compiler": ask("compiler", compiler_facts, None),
    }
    return HookFacts(
        schema=FACTS_SCHEMA,
        tbprof_version=__version__,
        torch_version=str(torch.__version__),
        cuda_version=torch.version.cuda or torch.version.hip,
        worker=worker,
        rank=rank,
        world_size=world_size,
        options=dataclasses.asdict(options),
        loaders=loaders,
        optimizers=optimizers,
        missing=missing.facts,
        **asked,
        **{field.name: getattr(window, field.name) for field in dataclasses.fields(window)},
    )


def write_facts(facts: HookFacts, path: Path) -> None:
    """Write the facts as one JSON object; the file appears whole or not at all.

    Raises:
        OSError: it could not be written.
    """
    replace_whole(path, _as_json(facts))


def _as_json(facts: HookFacts) -> bytes:
    """JSON has no half of a surrogate pair, which names of files and of code may hold: it is spelled out."""
    text = json.dumps(facts, default=_members, ensure_ascii=False)
    return _HALF_PAIR.sub(lambda half: rf"\\u{ord(half[0]):x}", text).encode()


def _members(record: Any) -> dict[str, Any]:
    """A record as json wants it; `dataclasses.asdict` copies all of it first."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def _number(environment: Mapping[str, str], name: str) -> int | None:
    value = environment.get(name, "")
    return int(value) if value.isdecimal() else None


def _git_commit() -> str | None:
    try:
        return git_commit(Path.cwd())
    except OSError:
        # The folder that the training was started in may have been removed meanwhile.
        return None


def _driver_version() -> str | None:
    """NVIDIA's driver says its version in /proc on Linux; others do not."""
    try:
        text = NVIDIA_DRIVER.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r"\b\d+\.\d+(?:\.\d+)?\b", text)
    return match[0] if match else None


def _device_names() -> tuple[str, ...]:
    """The names of the devices of a program that uses any.

    To ask elsewhere would begin to use them, and forked children could no longer.
    """
    if torch.cuda.is_initialized():
        return tuple(torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count()))
    if torch.xpu.is_initialized():
        return tuple(torch.xpu.get_device_name(number) for number in range(torch.xpu.device_count()))
    return ()
