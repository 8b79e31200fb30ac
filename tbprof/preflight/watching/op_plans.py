"""What is to be looked at when an op runs, worked out once for each op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch._ops import HigherOrderOperator

from tbprof.optable import OPS, DeviceOp
from tbprof.preflight.base.device_marks import HOST, Place
from tbprof.preflight.watching.conditions import CONDITIONS, Holds
from tbprof.preflight.watching.half_precision import SLOW_IN_HALF

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

_HOST_RESULTS = {"aten::_pack_padded_sequence": 1}
"""Which of their results stays on the host: the sizes of the batch."""

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
    host_result: int | None
    rounded_results: int
    """How many of its results are rounded where it is slow in float16; 0 where it is not."""

    @property
    def is_examined(self) -> bool:
        return bool(self.rows) or self.indexes or self.copies


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
        host_result=_HOST_RESULTS.get(name),
        writes_first=bool(schema.arguments) and _is_written(schema.arguments[0]),
        rounded_results=SLOW_IN_HALF.get(name, 0),
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
        host_result=None,
        rounded_results=0,
    )


def _is_written(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write
