"""What the hook knows about a window and its trace does not hold."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.optim import Optimizer
from torch.utils.data import DataLoader

from tbprof.hook.options import RecordOptions
from tbprof.hook.processes import process_label
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window.settings import compiler_facts, environment, git_commit, settings
from tbprof.model import FACTS_SCHEMA, HookFacts, LoaderFacts, OptimizerFacts, StepCounts
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


MOST_OF_EACH = 16
"""Kept of each kind, the first that are found."""


def live_loaders_and_optimizers(
    missing: MissingFacts,
) -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
    """The loaders and optimizers that the program holds, wherever, the oldest first.

    The garbage collector finds them by their classes, some 100 ms per million objects. The variables of
    running functions are left alone: before Python 3.13, reading them writes into the dictionary that the
    program may have taken with `locals()`. An object that does not answer, of the program's own making, is
    missing as `loaders` or `optimizers`.
    """
    loaders: list[LoaderFacts] = []
    optimizers: list[OptimizerFacts] = []
    for candidate in gc.get_referrers(*_kinds_of(DataLoader), *_kinds_of(Optimizer)):
        # type() and not isinstance(): a proxy's __class__ may run code of its own.
        kind = type(candidate)
        if issubclass(kind, DataLoader) and len(loaders) < MOST_OF_EACH:
            loaders += missing.ask("loaders", lambda: [_loader(candidate)], [])  # noqa: B023 - asked at once
        elif issubclass(kind, Optimizer) and len(optimizers) < MOST_OF_EACH:
            optimizers += missing.ask("optimizers", lambda: [_optimizer(candidate, missing)], [])  # noqa: B023
    return tuple(loaders), tuple(optimizers)


def _kinds_of(kind: type) -> Iterator[type]:
    yield kind
    subclasses: list[type] = type.__subclasses__(kind)
    for subclass in subclasses:
        yield from _kinds_of(subclass)


def _loader(loader: Any) -> LoaderFacts:
    given = _own_attributes(loader)
    return LoaderFacts(
        dataset=type(given["dataset"]).__name__,
        batch_size=given["batch_size"],
        num_workers=given["num_workers"],
        pin_memory=given["pin_memory"],
        prefetch_factor=given["prefetch_factor"],
        persistent_workers=given["persistent_workers"],
    )


def _optimizer(optimizer: Any, missing: MissingFacts) -> OptimizerFacts:
    given = _own_attributes(optimizer)
    # One that wraps another may have no defaults, and one of the user's own none of torch's switches.
    defaults: Any = missing.ask("optimizers", lambda: given["defaults"], {})
    switches = {name: defaults.get(name) for name in ("foreach", "fused", "capturable")}
    return OptimizerFacts(
        name=type(optimizer).__name__,
        **{name: value if isinstance(value, bool) else None for name, value in switches.items()},
        groups=len(given["param_groups"]),
        parameters=sum(len(group["params"]) for group in given["param_groups"]),
    )


def _own_attributes(one: Any) -> dict[str, Any]:
    """The attributes that torch's own `__init__` has set, read without running the program's code.

    Raises:
        AttributeError: it has none of its own.
    """
    attributes: dict[str, Any] = object.__getattribute__(one, "__dict__")
    return attributes
