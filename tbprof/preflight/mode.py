"""The dispatch mode: sees every op that runs, spreads the marks, and notes what a GPU would wait for.

An op with a tensor of the device gives tensors of the device; neutral ones beside it are taken
along in silence, for they are torch's own temporaries. The mode lies below autograd, so that
a backward pass, which runs on the calling thread on a CPU, is seen as the forward is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tbprof.preflight import awaited
from tbprof.preflight.copies import note_copy_into, note_index_upload
from tbprof.preflight.devices import place_named
from tbprof.preflight.op_plans import OpPlan, plan_for
from tbprof.preflight.recording import Event, is_muted, note
from tbprof.preflight.tags import HOST, PINNED, Place, mark, place_of

__all__ = ["Watch", "last_op"]

_CPU = torch.device("cpu")
_PLANS: dict[Any, OpPlan] = {}
_LAST_OP = [""]


def last_op() -> str:
    """The op that ran last, to be named when the program fails in it."""
    return _LAST_OP[0]


class Watch(TorchDispatchMode):  # type: ignore[misc]
    """Active on one thread of the program; each has its own."""

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        plan = _PLANS.get(func)
        if plan is None:
            plan = _PLANS[func] = plan_for(func)
        asked_for = None
        if kwargs:
            if plan.takes_device:
                kwargs, asked_for = _on_the_cpu(kwargs)
        else:
            kwargs = {}
        device, host = _places(args if not kwargs else (*args, *kwargs.values()))
        if awaited.is_any and not (plan.is_view or plan.copies):
            awaited.check(plan.name, args)
        _LAST_OP[0] = plan.name
        if device is None:
            result = func(*args, **kwargs)
            place = asked_for if asked_for is not None else host
            if plan.is_fresh and place is None:
                place = HOST
        else:
            if plan.is_examined:
                _examine(plan, args, kwargs)
            if host is not None and not plan.takes_host:
                _note_mismatch(plan, args)
            result = func(*args, **kwargs)
            place = asked_for if asked_for is not None else device
        if place is not None:
            _mark_results(result, place)
        return result


def _on_the_cpu(kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], Place | None]:
    """The options of a factory without those that need a GPU, and the place that they asked for."""
    options, place = dict(kwargs), None
    device = options.get("device")
    if device is not None and device.type == "cuda":
        options["device"] = _CPU
        place = place_named(device)
    if options.get("pin_memory"):
        options["pin_memory"] = False
        place = PINNED
    return options, place


def _places(values: tuple[Any, ...]) -> tuple[Place | None, Place | None]:
    """A place on the device and one on the host among the tensors of a call, where there are any."""
    device = host = None
    for value in values:
        if isinstance(value, Tensor):
            place = place_of(value)
            if place is None:
                continue
            if place.is_device:
                device = place
            else:
                host = place
        elif type(value) in (list, tuple):
            inner_device, inner_host = _places(value)
            device, host = device or inner_device, host or inner_host
    return device, host


def _mark_results(result: Any, place: Place) -> None:
    if isinstance(result, Tensor):
        if place_of(result) is None:
            mark(result, place)
    elif isinstance(result, (list, tuple)):
        for item in result:
            _mark_results(item, place)


def _examine(plan: OpPlan, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Note what an op on tensors of the device reads or moves."""
    if is_muted():
        return
    if plan.copies:
        note_copy_into(plan.name, args, kwargs)
        return
    for row, holds in plan.rows:
        if holds(args, kwargs):
            awaited.forget_all()
            call = plan.name.partition("::")[2]
            note(Event(row.kind, call, plan.chain, row.known, direction="DtoH"), nbytes=_read_bytes(args))
            break
    if plan.indexes:
        note_index_upload(plan.chain, args)


def _read_bytes(args: tuple[Any, ...]) -> int:
    """A number is as large as one element; the count of rows that an op reads is no larger."""
    return int(args[0].element_size()) if args and isinstance(args[0], Tensor) else 8


def _note_mismatch(plan: OpPlan, args: tuple[Any, ...]) -> None:
    """Tensors of the host and of the device in one op: an error on a GPU, but for single numbers."""
    tensors = _tensors(args)
    on_host = [tensor for tensor in tensors if (place := place_of(tensor)) is not None and place.is_host]
    written_on_host = plan.writes_first and on_host and on_host[0] is tensors[0]
    if written_on_host or any(tensor.dim() > 0 for tensor in on_host):
        note(Event("device_mismatch", plan.name.partition("::")[2], plan.chain, blocking=False))


def _tensors(values: Any) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found
