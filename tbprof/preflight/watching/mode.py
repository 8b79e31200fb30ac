"""The dispatch mode: sees every op that runs, spreads the marks, and notes what a GPU would wait for.

An op with a tensor of the device gives tensors of the device; neutral ones beside it are taken
along in silence, for they are torch's own temporaries. The mode lies below autograd, so that
a backward pass, which runs on the calling thread on a CPU, is seen as the forward is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import HigherOrderOperator
from torch.autograd.function import BackwardCFunction
from torch.utils._python_dispatch import TorchDispatchMode

from tbprof.optable import OPS, DeviceOp
from tbprof.preflight.device_marks import HOST, PINNED, Place, mark, place_named, place_of, places_among
from tbprof.preflight.watching import copies
from tbprof.preflight.watching.conditions import (
    CONDITIONS,
    Holds,
    is_generator_apart,
    is_index_apart,
    moved_numbers,
)
from tbprof.preflight.watching.copies import (
    note_copy_into,
    note_index_upload,
    note_index_upload_again,
    note_mask_read,
    note_number_upload,
)
from tbprof.preflight.watching.half_precision import SLOW_IN_HALF, has_half, in_float32
from tbprof.preflight.watching.recording import Event, is_muted, lost, note

_CPU = torch.device("cpu")
_PLANS: dict[Any, OpPlan] = {}
_BOUNDS: list[Tensor] = []
"""What `aminmax` gave last: below Python, in scripted code, `one_hot` reads it to check its classes, on a CPU
alone. Python's own reads of it are seen where Python asks."""
_LAST_OP = [""]
RUNNERS: list[Callable[[Any, tuple[Any, ...], Mapping[str, Any], Place], Any]] = []
"""The last one runs the operators with tensors of the device, views apart, and gives their results."""


def last_op() -> str:
    """The op that ran last, to be named when the program fails in it."""
    return _LAST_OP[0]


class Watch(TorchDispatchMode):  # type: ignore[misc]
    """Active on one thread of the program; each has its own."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Torch would import its compiler, which takes as long as torch; preflight compiles nothing.
        return False

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        plan = _PLANS.get(func) or _add_plan(func)
        options, asked_for = kwargs or {}, None
        if options and plan.takes_device:
            options, asked_for = _on_the_cpu(options)
        device = host = None
        try:
            device, host = places_among((*args, *options.values()) if options else args)
            if copies.is_any and not (plan.is_view or plan.copies):
                copies.check(plan.name, args)
            if copies.WITNESSES and copies.is_any and plan.writes_first and args:
                copies.check_write(plan.name, args[0])
            if plan.takes_generator:
                _look_at_generator(plan, options, asked_for or device or (None if host is None else HOST))
            if device is not None:
                _look_at(plan, args, options, host)
        except Exception as error:  # noqa: BLE001 - the border to the program
            lost(plan.name, error)
        _LAST_OP[0] = plan.name
        result = func(*args, **options) if device is None else _run(plan, func, args, options, device)
        try:
            if plan.name in _LOOKED_AT_AFTERWARDS:
                _LOOKED_AT_AFTERWARDS[plan.name](result)
            # What an op makes of pinned memory is new memory, and so pageable.
            place = asked_for or device or (None if host is None else HOST) or plan.fresh_place
            if place is not None:
                _mark_results(result, place, is_new=asked_for is not None)
        except Exception as error:  # noqa: BLE001 - the border to the program
            lost(plan.name, error)
        return result


def _run(
    plan: OpPlan, func: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any], device: Place
) -> Any:
    if plan.rounded_results and has_half(args):
        return in_float32(func, args, options, plan.rounded_results)
    if RUNNERS and not plan.is_view:
        return RUNNERS[-1](func, args, options, device)
    return func(*args, **options)


def _add_plan(func: Any) -> OpPlan:
    plan = _PLANS[func] = plan_for(func)
    return plan


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


def _mark_results(result: Any, place: Place, *, is_new: bool = False) -> None:
    """Mark what has no mark yet; of new memory that of a factory inside the op does not count."""
    if isinstance(result, Tensor):
        if is_new or place_of(result) is None:
            mark(result, place)
    elif isinstance(result, (list, tuple)):
        for item in result:
            _mark_results(item, place, is_new=is_new)


def _look_at(plan: OpPlan, args: tuple[Any, ...], kwargs: Mapping[str, Any], host: Place | None) -> None:
    """Note what an op with tensors of the device reads or moves, and those of the host beside them."""
    if host is not None and _is_mismatch(plan, args, kwargs):
        # What raises no longer reads or moves anything.
        _note_mismatch(plan)
        return
    if not plan.is_examined or is_muted():
        return
    if plan.copies:
        note_copy_into(plan.name, args, kwargs)
    _note_reads(plan, args, kwargs)
    if plan.indexes and host is not None:
        if _is_derivative():
            note_index_upload_again(plan.chain, args, _derivative())
        else:
            note_index_upload(plan.chain, args)
    if plan.takes_numbers_along and host is not None and not _is_derivative():
        for number in moved_numbers(args, kwargs):
            note_number_upload(plan.takes_numbers_along, plan.chain, number)


def _note_reads(plan: OpPlan, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if plan.name == "aten::_local_scalar_dense" and any(args[0] is bound for bound in _BOUNDS):
        return
    for row, holds in plan.rows:
        if holds(args, kwargs):
            copies.forget_all()
            call = plan.name.partition("::")[2]
            event = Event(row.kind, call, plan.chain, row.known, direction="DtoH")
            if plan.indexes:
                note_mask_read(event, args, _derivative())
            else:
                note(event, nbytes=_read_bytes(args))
            return


def _read_bytes(args: tuple[Any, ...]) -> int:
    """A number is as large as one element; the count of rows that an op reads is no larger."""
    return int(args[0].element_size()) if args and isinstance(args[0], Tensor) else 8


def _look_at_generator(plan: OpPlan, options: Mapping[str, Any], place: Place | None) -> None:
    """Each device draws with generators of its own; what is made without naming one is the host's."""
    at = place or (HOST if plan.takes_device else None)
    if at is not None and is_generator_apart(options, at):
        _note_mismatch(plan)


def _note_mismatch(plan: OpPlan) -> None:
    note(Event("device_mismatch", plan.name.partition("::")[2], plan.chain, blocking=False))


def _is_mismatch(plan: OpPlan, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Tensors of the host and of the device in one op: an error on a GPU, but for single numbers."""
    if _is_derivative():
        return False
    if plan.indexes:
        return is_index_apart(args, kwargs)
    if plan.takes_host:
        return False
    tensors = _tensors(args)
    on_host = [tensor for tensor in tensors if (place := place_of(tensor)) is not None and place.is_host]
    written_on_host = plan.writes_first and on_host and on_host[0] is tensors[0]
    return bool(written_on_host) or any(tensor.dim() > 0 for tensor in on_host)


def _is_derivative() -> bool:
    """Whether torch's own derivative of an op runs: its mismatch is that of the op, noted before."""
    return _derivative() is not None


def _derivative() -> Any:
    """Autograd's node, if it is torch's own; None where no derivative runs, or one of the program's."""
    node = torch._C._current_autograd_node()
    return None if isinstance(node, BackwardCFunction) else node


def _tensors(values: Any) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


_INDEXING = frozenset({"aten::index", "aten::index_put_", "aten::index_put", "aten::_index_put_impl_"})
_COPIES = frozenset({"aten::copy_"})
_TAKE_HOST = (
    _INDEXING
    | _COPIES
    | {
        *("aten::_to_copy", "aten::_foreach_copy_", "aten::set_", "aten::_pin_memory", "aten::detach"),
        *("aten::_pack_padded_sequence", "aten::_pad_packed_sequence", "aten::_local_scalar_dense"),
        *("aten::view_as", "aten::expand_as", "aten::resize_as_", "aten::_shape_as_tensor"),
        *("aten::_fused_adam_", "aten::_fused_adamw_", "aten::_fused_sgd_", "aten::_fused_adagrad_"),
    }
)
"""Ops that take tensors of the host beside those of the device, or only look at their sizes."""
_FRESH = frozenset({"aten::lift_fresh", "aten::lift"})
"""What torch makes of Python's lists and numbers comes through here."""

_TAKE_NUMBERS_ALONG = {
    **dict.fromkeys(("aten::index_put_", "aten::index_put", "aten::_index_put_impl_"), "__setitem__"),
    "aten::where": "where",
}
"""Ops whose kernels take no number of the host as an argument (`_index_put_impl_`, `where_self_out`)."""


def _note_sizes(packed: tuple[Tensor, ...]) -> None:
    """The sizes of the batch stay on the host."""
    mark(packed[1], HOST)


def _note_bounds(bounds: tuple[Tensor, ...]) -> None:
    _BOUNDS[:] = bounds


_LOOKED_AT_AFTERWARDS: dict[str, Callable[[Any], None]] = {
    "aten::_pack_padded_sequence": _note_sizes,
    "aten::aminmax": _note_bounds,
}
"""What becomes of the results of some ops, before they are marked like those of others."""


_ROWS: dict[str, tuple[DeviceOp, ...]] = {}
for _row in OPS:
    _ROWS[_row.op] = (*_ROWS.get(_row.op, ()), _row)

_WITHIN = {
    "aten::_local_scalar_dense": ("aten::item",),
}
"""The op that the public functions call around one that is seen, as traces have it."""


@dataclass(frozen=True, slots=True)
class OpPlan:
    name: str
    """Without the overload: `aten::copy_`."""
    chain: tuple[str, ...]
    """The op and what calls it, innermost first."""
    rows: tuple[tuple[DeviceOp, Holds], ...]
    indexes: bool
    copies: bool
    takes_host: bool
    is_view: bool
    """Reads nothing: its result is the same memory."""
    fresh_place: Place | None
    """Where its result is if none of its tensors says it."""
    takes_device: bool
    takes_generator: bool
    writes_first: bool
    rounded_results: int
    """How many of its results are rounded where it is slow in float16; 0 where it is not."""
    takes_numbers_along: str = ""
    """What the program called, of an op that copies single numbers of the host to the device first."""

    @property
    def is_examined(self) -> bool:
        return bool(self.rows or self.indexes or self.copies or self.takes_numbers_along)


def plan_for(func: Any) -> OpPlan:
    """The plan of one overload, from the table and from its schema."""
    if isinstance(func, HigherOrderOperator):
        return _plan_of_higher_order(func)
    schema = func._schema
    name = schema.name
    aliases = [returned.alias_info for returned in schema.returns]
    return OpPlan(
        name=name,
        chain=(name, *_WITHIN.get(name, ())),
        rows=tuple((row, CONDITIONS[row.condition]) for row in _ROWS.get(name, ())),
        indexes=name in _INDEXING,
        copies=name in _COPIES,
        takes_host=name in _TAKE_HOST,
        is_view=bool(aliases) and all(alias is not None and not alias.is_write for alias in aliases),
        fresh_place=HOST if name in _FRESH else None,
        takes_device=any(argument.name in ("device", "pin_memory") for argument in schema.arguments),
        takes_generator=any(argument.name == "generator" for argument in schema.arguments),
        writes_first=bool(schema.arguments) and _is_written(schema.arguments[0]),
        rounded_results=SLOW_IN_HALF.get(name, 0),
        takes_numbers_along=_TAKE_NUMBERS_ALONG.get(name, ""),
    )


def _plan_of_higher_order(func: HigherOrderOperator) -> OpPlan:
    """An op that takes functions, such as flex attention: one kernel on a GPU, and so one op here."""
    name = f"higher_order::{func.name()}"
    return OpPlan(
        name=name,
        chain=(name,),
        rows=(),
        indexes=False,
        copies=False,
        takes_host=True,
        is_view=False,
        fresh_place=None,
        takes_device=False,
        takes_generator=False,
        writes_first=False,
        rounded_results=0,
    )


def _is_written(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write
