"""Ways in which memory leaves a tensor and becomes another: storages, DLPack, queues of processes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from multiprocessing.reduction import ForkingPickler
from typing import Any

from torch import Tensor, UntypedStorage

from tbprof.preflight.device_marks import Place, current, device_place, mark, place_of
from tbprof.preflight.patch import Patch
from tbprof.preflight.watching.copies import MOVED_OPS
from tbprof.preflight.watching.recording import Event, note

_CAPSULES: dict[int, Place] = {}
"""Where the memory of each DLPack capsule is that was not taken yet, by the capsule's id."""


def _storage_to_device(original: Any) -> Any:
    @wraps(original)
    def cuda(self: UntypedStorage, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        place = device_place(device if isinstance(device, int) else current.index)
        event = Event(
            "upload", "cuda", MOVED_OPS, direction="HtoD", memory="pageable", non_blocking=non_blocking
        )
        note(event, nbytes=self.nbytes())
        copied: UntypedStorage = self.clone()
        copied._tbprof_place = place
        return copied

    return cuda


def _to_capsule(original: Any) -> Any:
    @wraps(original)
    def to_dlpack(tensor: Tensor) -> Any:
        capsule = original(tensor)
        place = place_of(tensor)
        if place is not None:
            _CAPSULES[id(capsule)] = place
        return capsule

    return to_dlpack


def _from_dlpack(original: Any) -> Any:
    @wraps(original)
    def from_dlpack(external: Any, *args: Any, **kwargs: Any) -> Tensor:
        place = place_of(external) if isinstance(external, Tensor) else _CAPSULES.pop(id(external), None)
        made: Tensor = original(external, *args, **kwargs)
        if place is not None:
            mark(made, place)
        return made

    return from_dlpack


def _with_places(reducers: dict[Any, Callable[..., Any]]) -> dict[Any, Callable[..., Any]]:
    """The reductions that pickle tensors for another process, each taking the place along."""
    return {
        kind: _placed(reduce) if isinstance(kind, type) and issubclass(kind, Tensor) else reduce
        for kind, reduce in reducers.items()
    }


def _placed(reduce: Callable[..., Any]) -> Callable[..., Any]:
    def reduce_with_place(tensor: Tensor) -> Any:
        rebuild, arguments = reduce(tensor)
        place = place_of(tensor)
        if place is None or not place.is_device:
            return rebuild, arguments
        return _rebuilt, (place.device.index, rebuild, arguments)

    return reduce_with_place


def _rebuilt(index: int, rebuild: Callable[..., Tensor], arguments: tuple[Any, ...]) -> Tensor:
    tensor = rebuild(*arguments)
    mark(tensor, device_place(index))
    return tensor


PATCHES = (
    Patch("torch:UntypedStorage", "cuda", _storage_to_device),
    *(Patch(owner, "to_dlpack", _to_capsule) for owner in ("torch", "torch.utils.dlpack")),
    *(Patch(owner, "from_dlpack", _from_dlpack) for owner in ("torch", "torch.utils.dlpack")),
    Patch(f"{ForkingPickler.__module__}:ForkingPickler", "_extra_reducers", _with_places),
)
