"""What can be asked of the hook: the one place of each option's name, default and help.

`TrainerHook` takes them as arguments, `tbprof run` as options of the command line.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from tbprof.hook.arguments import option, option_group
from tbprof.hook.schedule import Schedule

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """torch.profiler's own switches; each makes the recorded steps slower."""

    with_stack: bool = field(default=False, metadata=option("record Python's call stacks"))
    record_shapes: bool = field(default=False, metadata=option("record the shapes of operators' inputs"))
    profile_memory: bool = field(default=False, metadata=option("record every allocation"))
    with_flops: bool = field(
        default=False, metadata=option("estimate the operations of matrix products and convolutions")
    )
    with_modules: bool = field(
        default=False,
        metadata=option(
            "record the module around each operator (TorchScript's only; call stacks since 2.14)"
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOptions(RecordOptions):
    """All that a user may ask for, besides the log directory."""

    schedule: Schedule | None = field(default=Schedule(), metadata=option_group(Schedule))
    """None is as if it were not given."""
    worker: str | None = field(
        default=None, metadata=option("name of this process on screen, instead of host and process number")
    )
    record_lines: bool = field(
        default=True,
        metadata=option("record in the step after each window which lines sync or copy; no time includes it"),
    )
    mark_modules: bool = field(
        default=True,
        metadata=option("mark the calls of modules in recorded steps, where no call stacks name them"),
    )
    record_inputs: bool = field(
        default=False,
        metadata=option(
            "record in two more steps after each window what operators are given, for FLOPs and limits; no"
            " time includes them"
        ),
    )
    memory: bool | Schedule = field(
        default=False,
        metadata=option(
            "follow in one more step after each window what holds memory: parameters, activations and others;"
            " no time includes it"
        ),
    )
    sync_callbacks: bool = field(
        default=False,
        metadata=option(
            "on CUDA, see torch.cuda.synchronize() as well; slows this run's allocations from its window on"
        ),
    )
    embed_source: bool = field(
        default=True, metadata=option("keep the code around these lines in the log directory")
    )
    max_stall_ms: float = field(
        default=250,
        metadata=option("how long the end of a window may hold the training up, in milliseconds", float),
    )
    keep_windows: int = field(default=20, metadata=option("windows of each worker that keep their raw trace"))
    keep_bytes: int = field(
        default=5_000_000_000, metadata=option("bytes of the run's published files, in all")
    )
    trackers: bool = field(
        default=True,
        metadata=option("add figures and a page of each window to the W&B or MLflow run that is under way"),
    )
    whole_run: bool = field(
        default=True,
        metadata=option("note where the time of the whole run goes: steps, checkpoints, evaluation, others"),
    )
    spool: AnyPath | None = field(
        default=None,
        metadata=option("where windows wait until they are published, instead of the user's cache folder"),
    )


@dataclass(frozen=True, slots=True)
class HookArguments(HookOptions):
    """What `TrainerHook` is called with."""

    logdir: AnyPath
