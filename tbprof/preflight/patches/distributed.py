"""Patches of torch.distributed: NCCL is played by gloo, and what can't be played says so."""

from __future__ import annotations

import sys
from functools import wraps
from typing import Any

from tbprof.errors import NotSupported
from tbprof.preflight.patch import Patch, instead
from tbprof.preflight.watching.recording import Event, note, remark

_HOME = "torch.distributed.distributed_c10d"

_KEPT: list[Any] = []
"""Each group of gloo, for as long as the process lives. Its end joins its threads under the
interpreter's lock, and a thread that still lets go of its last collective waits for that lock
(https://github.com/pytorch/pytorch/issues/56297): a hang that the program would not have with NCCL."""


def _with_gloo(original: Any) -> Any:
    @wraps(original)
    def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> None:
        if backend is None or "nccl" in str(backend):
            remark("gloo stood in for NCCL: collectives ran on the host")
            backend = "gloo"
        kwargs.pop("device_id", None)
        original(backend, *args, **kwargs)
        _KEPT.append(sys.modules[_HOME].group.WORLD)

    return init_process_group


def _group_with_gloo(original: Any) -> Any:
    @wraps(original)
    def new_group(*args: Any, **kwargs: Any) -> Any:
        if "nccl" in str(kwargs.get("backend")):
            kwargs["backend"] = "gloo"
        kwargs.pop("device_id", None)
        group = original(*args, **kwargs)
        _KEPT.append(group)
        return group

    return new_group


def _waiting_barrier(original: Any) -> Any:
    """With NCCL a barrier is a collective that the host waits for."""

    @wraps(original)
    def barrier(*args: Any, **kwargs: Any) -> Any:
        note(Event("synchronize", "barrier", (), "read"))
        kwargs.pop("device_ids", None)
        return original(*args, **kwargs)

    return barrier


def _refused(_original: Any) -> Any:
    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise NotSupported(
            "preflight can't run FSDP, whose shards are moved by kernels of a GPU: run the unsharded model "
            "for this, or put something in place of it with --stub"
        )

    return refuse


PATCHES = (
    *(Patch(owner, "init_process_group", _with_gloo) for owner in ("torch.distributed", _HOME)),
    *(Patch(owner, "new_group", _group_with_gloo) for owner in ("torch.distributed", _HOME)),
    *(Patch(owner, "barrier", _waiting_barrier) for owner in ("torch.distributed", _HOME)),
    *(Patch(owner, "is_nccl_available", instead(lambda: True)) for owner in ("torch.distributed", _HOME)),
    Patch("torch.distributed.fsdp:FullyShardedDataParallel", "__init__", _refused, once_loaded=True),
    Patch(
        "torch.distributed.fsdp._fully_shard._fully_shard",
        "_get_device_from_mesh",
        _refused,
        once_loaded=True,
    ),
)
