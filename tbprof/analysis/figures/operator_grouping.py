"""The groupings of calls of operators: by name, shapes, stack, module, label or step.

Groups by name, shapes and stack are of one operator each. Those by module, label and step hold all
operators; what autograd runs belongs to the module, label and stack of its forward operator.
"""

from __future__ import annotations

import re
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np

from tbprof.analysis.attribution.annotations import label_rows, module_name, module_rows
from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import climbed, outermost
from tbprof.analysis.figures.operators import Operators, forward_calls
from tbprof.analysis.nesting import Nest
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import Tables

Grouping: TypeAlias = Literal["name", "shapes", "stack", "module", "label", "step"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
GROUPING_TABLES: Tables = frozenset(("autograd",))
"""What of a trace leads from the backward pass to the forward pass."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    code: Int64s
    """For each call an index into the columns below."""
    names: tuple[str, ...]
    """Names of the operator, or of the module, label or step; "" for calls in none."""
    shapes: tuple[str, ...] | None
    """JSON, "" where not recorded; None where the groups are by something else."""
    stacks: tuple[tuple[str, ...], ...] | None
    """Innermost frame first."""
    is_of_one_operator: bool
    """Whether the grouping is by name, shapes or stack."""


def group_operators(facts: Facts, operators: Operators, by: Grouping) -> Groups:
    """Put every call into one group."""
    if by == "step":
        names = (*facts.steps.names, "")
        code = np.where(operators.step == NONE, len(names) - 1, operators.step)
        return Groups(code, names, None, None, is_of_one_operator=False)
    if by in ("module", "label"):
        return _by_code(facts, operators, by)
    return _by_operator(facts, operators, by)


def _by_operator(facts: Facts, operators: Operators, by: Grouping) -> Groups:
    trace = facts.trace
    name = trace.slices.name[operators.rows].astype(np.int64)
    detail, details = np.zeros(len(name), np.int64), None
    if by == "shapes":
        detail = trace.input_shapes.at(operators.rows)
    elif by == "stack":
        stacks = find_stacks(trace, operators.rows)
        frames = (*stacks.frames, ())
        detail = _with_forward(facts, operators, stacks.stack, len(frames) - 1, with_engine=False)
        details = frames
    pairs, first, code = np.unique(
        np.stack([name, detail], axis=1), axis=0, return_index=True, return_inverse=True
    )
    chosen = detail[first].tolist()
    return Groups(
        code=code.reshape(len(name)),
        names=tuple(trace.names[one] for one in pairs[:, 0].tolist()),
        shapes=tuple("" if one == NONE else trace.names[one] for one in chosen) if by == "shapes" else None,
        stacks=None if details is None else tuple(details[one] for one in chosen),
        is_of_one_operator=True,
    )


def _by_code(facts: Facts, operators: Operators, by: Grouping) -> Groups:
    trace = facts.trace
    if by == "module":
        name = _modules(facts, operators)
    else:
        name = _names(trace, _innermost(facts, operators, label_rows(trace)))
        forward = _with_forward(facts, operators, name, NONE)
        name = np.where(name == NONE, forward, name)
    found, code = np.unique(name, return_inverse=True)
    names = ("" if one == NONE else module_name(trace.names[one]) for one in found.tolist())
    return Groups(code, tuple(names), None, None, is_of_one_operator=False)


def _modules(facts: Facts, operators: Operators) -> Int64s:
    """For each call the name of its module, that of the forward call for what autograd runs.

    What autograd runs in a module is that one's: checkpointing computes it again.
    """
    trace = facts.trace
    row = _innermost(facts, operators, module_rows(trace))
    is_backward, forward = forward_calls(trace, operators, with_engine=True)
    start, root = trace.slices.start_ns, outermost(operators.parent, is_backward)
    begun = start[operators.rows[np.maximum(root, 0)]]
    is_own = ~is_backward | ((row != NONE) & (start[np.maximum(row, 0)] >= begun))
    at = climbed(np.where(is_own, np.arange(len(row)), forward), is_own)
    return np.where(at == NONE, NONE, _names(trace, row)[np.maximum(at, 0)])


def _names(trace: Trace, rows: Int64s) -> Int64s:
    """Interned; `NONE` of no row."""
    names = np.full(len(rows), NONE, np.int64)
    names[rows != NONE] = trace.slices.name[rows[rows != NONE]]
    return names


def _innermost(facts: Facts, operators: Operators, rows: Int64s) -> Int64s:
    """For each call the innermost of these rows around it, or `NONE`."""
    slices = facts.trace.slices
    nest = Nest.of(slices, rows)
    calls = operators.rows
    at = nest.innermost(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    found = np.full(len(at), NONE, np.int64)
    found[at != NONE] = nest.rows[at[at != NONE]]
    return found


def _with_forward(
    facts: Facts, operators: Operators, values: Int64s, none: int, *, with_engine: bool = True
) -> Int64s:
    """The values of the forward call for what autograd runs, `none` where that call is not known."""
    is_backward, forward = forward_calls(facts.trace, operators, with_engine=with_engine)
    return np.where(is_backward, np.where(forward == NONE, none, values[np.maximum(forward, 0)]), values)


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""The address of an object, which no two runs share."""


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    stack: Int64s
    """For each row asked for an index into `frames`."""
    frames: tuple[tuple[str, ...], ...]
    """Innermost first; without the addresses of objects."""


def find_stacks(trace: Trace, rows: Int64s) -> Stacks:
    """The stacks of these rows of the host, by their argument `Call stack` where the file has it (2021,
    `verbose`).
    """
    if len(trace.call_stack.rows):
        return _written(trace, rows)
    slices = trace.slices
    nest = Nest.of(slices, np.flatnonzero(slices.category == Category.PYTHON))
    at = nest.innermost(slices.lane[rows].astype(np.int64), slices.start_ns[rows], slices.end_of(rows))
    innermost, of_row = np.unique(at, return_inverse=True)
    chain, heads = _chains(trace, nest, innermost)
    stack = np.unique(chain, return_inverse=True)[1][of_row]
    frames = tuple(_frames(trace, heads, int(one)) for one in distinct(chain))
    return Stacks(stack, frames)


def _chains(trace: Trace, nest: Nest, innermost: Int64s) -> tuple[Int64s, list[tuple[int, int]]]:
    """For each frame the number of its chain; a chain is a name and the chain of the frames within it.

    Returns:
        The numbers, and by number less one the chain inside and the name that was added to it.
    """
    chain, heads = np.zeros(len(innermost), np.int64), list[tuple[int, int]]()
    names, count = _clean_names(trace), 0
    end = trace.slices.end_of(nest.rows)
    at, open_ = innermost.copy(), np.flatnonzero(innermost != NONE)
    while len(open_):
        name = names[trace.slices.name[nest.rows[at[open_]]]]
        key = chain[open_] * (int(names.max(initial=0)) + 1) + name
        distinct, first, which = np.unique(key, return_index=True, return_inverse=True)
        heads += zip(chain[open_[first]].tolist(), name[first].tolist(), strict=True)
        chain[open_] = count + 1 + which
        count += len(distinct)
        at[open_] = nest.enclosing(at[open_], end[innermost[open_]])
        open_ = open_[at[open_] != NONE]
    return chain, heads


def _clean_names(trace: Trace) -> Int64s:
    """For each name the first one that is equal without addresses."""
    first: dict[str, int] = {}
    same = (first.setdefault(_ADDRESS.sub("", name), at) for at, name in enumerate(trace.names))
    return np.fromiter(same, np.int64, len(trace.names))


def _frames(trace: Trace, heads: list[tuple[int, int]], chain: int) -> tuple[str, ...]:
    found = []
    while chain:
        chain, name = heads[chain - 1]
        found.append(_ADDRESS.sub("", trace.names[name]))
    return tuple(reversed(found))


def _written(trace: Trace, rows: Int64s) -> Stacks:
    texts, of_row = np.unique(trace.call_stack.at(rows), return_inverse=True)
    clean = ["" if text == NONE else _ADDRESS.sub("", trace.names[text]) for text in texts.tolist()]
    number = {text: at for at, text in enumerate(dict.fromkeys(clean))}
    stack = np.array([number[text] for text in clean], np.int64)[of_row]
    return Stacks(stack, tuple(tuple(filter(None, text.split(";"))) for text in number))


class GroupRow(Protocol):
    """A row of a table of operators, by what tells it from the others."""

    @property
    def name(self) -> str | None: ...
    @property
    def shapes(self) -> str | None: ...
    @property
    def stack(self) -> tuple[str, ...] | None: ...


def calls_of_row(operators: Operators, groups: Groups, row: GroupRow, *, in_steps: bool) -> Int64s:
    """Its calls, those within another one of the same row left out.

    Args:
        operators: All of the window.
        groups: By what the table was made.
        row: One of that table.
        in_steps: As the table was made.
    """
    codes = [
        code
        for code, name in enumerate(groups.names)
        if name == (row.name or "")
        and (groups.shapes is None or groups.shapes[code] == row.shapes)
        and (groups.stacks is None or groups.stacks[code] == row.stack)
    ]
    is_mine = is_among(groups.code, codes) & ~operators.is_inside_its_like(groups.code)
    if in_steps:
        is_mine &= operators.step != NONE
    return np.flatnonzero(is_mine)


def work_of_calls(operators: Operators, calls: Int64s) -> Int64s:
    """Positions in `Facts.work` of what was launched in these calls or in one within them."""
    is_within = np.zeros(len(operators), np.bool_)
    is_within[calls] = True
    around: Int64s = operators.parent.copy()
    open_ = np.flatnonzero(around != NONE)
    while len(open_):
        is_within[open_] |= is_within[around[open_]]
        around[open_] = operators.parent[around[open_]]
        open_ = open_[(around[open_] != NONE) & ~is_within[open_]]
    return np.flatnonzero((operators.of_work != NONE) & is_within[np.maximum(operators.of_work, 0)])


def code_of_kernels(
    facts: Facts, operators: Operators, launched: Int64s
) -> tuple[Int64s, tuple[Source, ...]]:
    """The same of the code around each launch; of a CUDA graph's node of the one that was noted of it.

    Args:
        facts: Of the window.
        operators: All of it.
        launched: Positions in `Facts.work` of what has a launch.
    """
    at, sources = code_of_calls(facts, operators, operators.of_work[launched], facts.work.launch[launched])
    noted = facts.graph_places.source[launched]
    return np.where(noted == NONE, at, noted + len(sources)), (*sources, *facts.graph_places.sources)


def code_of_calls(
    facts: Facts, operators: Operators, calls: Int64s, rows: Int64s
) -> tuple[Int64s, tuple[Source, ...]]:
    """The user's innermost function around each, that of the forward call for what autograd runs.

    Args:
        facts: Of the window.
        operators: All of it.
        calls: Positions in `operators`, or `NONE`.
        rows: Of the trace, on the host: where a call begins that no forward call is known of.

    Returns:
        For each an index into the sources, or `NONE`.
    """
    trace = facts.trace
    if len(operators):
        is_backward, forward = forward_calls(trace, operators, with_engine=True)
        ahead = np.where(calls == NONE, NONE, np.where(is_backward, forward, NONE)[np.maximum(calls, 0)])
        rows = np.where(ahead == NONE, rows, operators.rows[np.maximum(ahead, 0)])
    stacks = find_stacks(trace, rows)
    is_exact = len(trace.call_stack.rows) > 0
    sources: dict[Source, int] = {}
    at = np.full(len(stacks.frames) + 1, NONE, np.int64)
    for number, frames in enumerate(stacks.frames):
        own = next(filter(None, (parse_frame(frame, exact=is_exact) for frame in frames)), None)
        if own is not None:
            at[number] = sources.setdefault(own, len(sources))
    return at[stacks.stack], tuple(sources)
