"""What programs ask, measure and copy with beside training: versions, the runtime, memory, `comm`."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from tbprof.preflight.patch import Patch, instead
from tbprof.preflight.patches import cuda_stub

_CUDA_VERSION = "12.8"
_CUDNN_VERSION = 91002
"""Programs parse them and compare; these are of today."""

_SUCCESS = 0

_RUNTIME = SimpleNamespace(
    cudaError=SimpleNamespace(success=_SUCCESS),
    cudaGetErrorString=lambda _code: "no error",
    cudaProfilerStart=lambda: _SUCCESS,
    cudaProfilerStop=lambda: _SUCCESS,
    cudaHostRegister=lambda *_memory: _SUCCESS,
    cudaHostUnregister=lambda *_memory: _SUCCESS,
    cudaStreamCreate=lambda *_stream: _SUCCESS,
    cudaStreamDestroy=lambda *_stream: _SUCCESS,
    cudaMemGetInfo=lambda _device: torch.cuda.mem_get_info(),
    cudaDeviceSynchronize=cuda_stub.synchronize,
)


def _snapshot(*_options: Any, **_named: Any) -> dict[str, list[Any]]:
    """A history in which nothing was ever allocated."""
    return {"segments": [], "device_traces": []}


def _dump_snapshot(filename: str = "dump_snapshot.pickle", *_options: Any, **_named: Any) -> None:
    Path(filename).write_bytes(pickle.dumps(_snapshot()))


def _nothing(*_args: Any, **_kwargs: Any) -> None: ...


def _wait(self: Any, *_error: Any) -> Any:
    """The ranges of `emit_nvtx` begin and end when the device has done its work."""
    cuda_stub.synchronize()
    return self if not _error else None


def _broadcast(tensor: Tensor, devices: Sequence[Any] | None = None, *, out: Any = None) -> Any:
    if out is None:
        return tuple(tensor.to(device) for device in devices or ())
    return tuple(target.copy_(tensor) for target in out)


def _broadcast_coalesced(tensors: Sequence[Tensor], devices: Sequence[Any], _bytes: int = 0) -> Any:
    return tuple(tuple(tensor.to(device) for tensor in tensors) for device in devices)


def _scatter(
    tensor: Tensor,
    devices: Sequence[Any] | None = None,
    chunk_sizes: Any = None,
    dim: int = 0,
    streams: Any = None,  # noqa: ARG001 - as torch has it
    *,
    out: Any = None,
) -> Any:
    """Parts of a tensor, one a device, by shared copies that do not block."""
    targets = devices if out is None else out
    parts = tensor.split(chunk_sizes, dim) if chunk_sizes else tensor.chunk(len(targets or ()), dim)
    pairs = zip(parts, targets or (), strict=False)
    if out is None:
        return tuple(part.to(device, non_blocking=True) for part, device in pairs)
    return tuple(target.copy_(part, non_blocking=True) for part, target in pairs)


def _gather(tensors: Sequence[Tensor], dim: int = 0, destination: Any = None, *, out: Any = None) -> Tensor:
    device = tensors[0].device if destination is None else destination
    joined = torch.cat([tensor.to(tensors[0].device) for tensor in tensors], dim)
    return joined.to("cpu" if device == -1 else device) if out is None else out.copy_(joined)


def _reduce_add(inputs: Sequence[Tensor], destination: Any = None) -> Tensor:
    device = inputs[0].device if destination is None else destination
    return torch.stack([tensor.to(device) for tensor in inputs]).sum(0)


_MEMORY = {"_record_memory_history": _nothing, "_snapshot": _snapshot, "_dump_snapshot": _dump_snapshot}
_COMMUNICATION = {
    "broadcast": _broadcast,
    "broadcast_coalesced": _broadcast_coalesced,
    "scatter": _scatter,
    "gather": _gather,
    "reduce_add": _reduce_add,
}

PATCHES = (
    Patch("torch.cuda", "cudart", instead(lambda: _RUNTIME)),
    Patch("torch.cuda", "check_error", instead(_nothing)),
    Patch("torch.version", "cuda", instead(_CUDA_VERSION)),
    Patch("torch.backends.cuda", "is_built", instead(lambda: True)),
    Patch("torch.backends.cudnn", "is_available", instead(lambda: True)),
    Patch("torch.backends.cudnn", "version", instead(lambda: _CUDNN_VERSION)),
    *(Patch("torch.cuda.profiler", name, instead(_nothing)) for name in ("init", "start", "stop")),
    Patch("torch.autograd.profiler:emit_nvtx", "__enter__", instead(_wait)),
    Patch("torch.autograd.profiler:emit_nvtx", "__exit__", instead(_wait)),
    *(Patch("torch.cuda.memory", name, instead(answer)) for name, answer in _MEMORY.items()),
    *(
        Patch(owner, name, instead(function))
        for owner in ("torch.cuda.comm", "torch.nn.parallel.comm")
        for name, function in _COMMUNICATION.items()
    ),
)
