"""Who allocated what is there at one moment: by operator, module and the function of the user's."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.memory.allocations import DeviceMemory, allocating_calls
from tbprof.analysis.operators.grouping import group_operators
from tbprof.analysis.operators.host_tree import outermost
from tbprof.analysis.operators.members import code_of_calls
from tbprof.analysis.operators.operators import find_operators
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct


@dataclass(frozen=True, slots=True)
class Holder:
    """Blocks that were allocated in one place of the program."""

    operator: str | None
    """The outermost one, such as what the user called; None of what no operator allocated."""
    module: str | None
    """That of the forward operator for what autograd runs; None in no module."""
    source: Source | None
    bytes: int
    blocks: int


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Places of the program from which operators are called."""

    code: Int64s
    """Of each call of an operator, an index into the places; the last place is that of no operator."""
    places: tuple[tuple[str | None, str | None, Source | None], ...]
    """Operator, module and source."""


def owners_of_calls(facts: Facts) -> Owners:
    """Of all calls of the window."""
    trace, operators = facts.trace, facts.once(find_operators)
    nowhere = (None, None, None)
    if len(operators) == 0:
        return Owners(np.zeros(0, np.int64), (nowhere,))
    top = outermost(operators.parent, np.ones(len(operators), np.bool_))
    name = trace.slices.name[operators.rows[top]].astype(np.int64)
    modules = group_operators(facts, operators, "module")
    at, sources = code_of_calls(facts, operators, np.arange(len(operators)), operators.rows)
    # As one number a call: numpy looks for distinct rows a hundred times slower.
    key = (name * len(modules.names) + modules.code) * (len(sources) + 1) + at + 1
    keys = distinct(key)
    places = tuple(
        (trace.names[one], modules.names[module] or None, sources[source - 1] if source else None)
        for first, source in (divmod(key, len(sources) + 1) for key in keys.tolist())
        for one, module in [divmod(first, len(modules.names))]
    )
    return Owners(np.searchsorted(keys, key), (*places, nowhere))


def holders_after(facts: Facts, device: DeviceMemory, event: int) -> tuple[Holder, ...]:
    """What the window saw allocated and was there after an event of the curve, the largest holder first.

    Empty where addresses are not recorded.
    """
    blocks, owners = device.blocks, facts.once(owners_of_calls)
    if blocks is None:
        return ()
    alive = blocks.alive_after(event)
    call = allocating_calls(facts, device)[blocks.allocated_at[alive]]
    none = len(owners.places) - 1
    code = np.where(call == NONE, none, owners.code[np.maximum(call, 0)] if len(owners.code) else none)
    held = np.zeros(none + 1, np.int64)
    np.add.at(held, code, blocks.bytes[alive])
    count = np.bincount(code, minlength=none + 1)
    order = np.argsort(-held, kind="stable")
    return tuple(
        Holder(operator, module, source, int(held[at]), int(count[at]))
        for at in order.tolist()
        for operator, module, source in [owners.places[at]]
        if count[at]
    )
