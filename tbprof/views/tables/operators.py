"""The table of operators."""

from __future__ import annotations

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_grouping import GROUPINGS, Grouping
from tbprof.analysis.figures.operator_limits import BYTES_A_NS, FLOPS_A_NS, device_peaks
from tbprof.analysis.figures.operator_table import OperatorRow, OperatorTable, operator_table
from tbprof.errors import UsageError
from tbprof.texts.tables import operators_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Cell, Column, Table, recorded_list

COVERED_SHARE = 0.5
"""Of a row's device time: where formulas cover less, how near to the limit the rest comes says nothing."""

_COLUMNS = (
    Column("name", "operator"),
    Column("shapes", "shapes"),
    Column("stack"),
    Column("source", "in"),
    Column("calls", "calls", "count"),
    Column("host_self_us", "host self", "us"),
    Column("host_total_us", "host total", "us"),
    Column("host_mean_us", "", "us"),
    Column("host_median_us", "", "us"),
    Column("host_p90_us", "", "us"),
    Column("device_self_us", "device self", "us"),
    Column("device_total_us", "device total", "us"),
    Column("device_mean_us", "mean", "us"),
    Column("device_median_us", "median", "us"),
    Column("device_p90_us", "p90", "us"),
    Column("share", "share", "share"),
    Column("cumulative_share", "sum", "share"),
    Column("launches", "launches", "count"),
    Column("flops", "", "count"),
    Column("bytes", "", "bytes"),
    Column("covered_us", "", "us"),
    Column("limit_us", "", "us"),
    Column("above_limit_us", "above limit", "us"),
    Column("share_of_limit", "of limit", "share"),
    Column("reached_tflops", "TFLOP/s", "number"),
    Column("reached_tb_s", "TB/s", "number"),
    Column("idle_us", "idle", "us"),
    Column("wait_us", "waits", "us"),
    Column("tensor_cores_eligible"),
    Column("tensor_cores_used", "tensor cores", "share"),
)

WHERE_MISSING = {
    "shapes": "no shapes are recorded: record them with record_shapes=True, or record_inputs=True",
    "stack": "no stacks are recorded: record them with with_stack=True",
    "module": "no modules are recorded: record them with with_stack=True",
    "label": "no label is recorded: mark the code with torch.profiler.record_function",
    "step": "no steps are marked: call `profiler.step()` after each, or record with tbprof's hook",
}
"""Why nothing can be grouped by that, and what would change it."""


def operators(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """The operators of a trace by one of `GROUPINGS`.

    Raises:
        UsageError: The trace does not hold what they are to be grouped by.
    """
    grouping = _grouping(by)
    table = operator_table(facts, grouping, in_steps=in_steps)
    if grouping in WHERE_MISSING and not any(_is_told(row, grouping) for row in table.rows):
        raise UsageError(f"this trace can't be grouped by {by}: {WHERE_MISSING[grouping]}")
    peaks = device_peaks(facts)
    return Table(
        name="operators",
        by=by,
        sentence=_sentence(facts, table),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_columns(grouping),
        rows=tuple(_cells(row) for row in table.rows),
        beside={
            "device_us": optional_us(table.device_ns),
            "without_operator_us": optional_us(table.without_operator_ns),
            "limits_of": None if peaks is None else peaks.name,
        },
    )


def _columns(grouping: Grouping) -> tuple[Column, ...]:
    """By module, label or step the first one is the name of that."""
    if grouping in ("name", "shapes", "stack"):
        return _COLUMNS
    return (Column("name", grouping), *_COLUMNS[1:])


def _grouping(by: str) -> Grouping:
    for grouping in GROUPINGS:
        if grouping == by:
            return grouping
    raise UsageError(f"operators can't be grouped by {by}: give {', '.join(GROUPINGS)}")


def _is_told(row: OperatorRow, grouping: Grouping) -> bool:
    if grouping == "stack":
        return bool(row.stack)
    return bool(row.shapes if grouping == "shapes" else row.name)


def _sentence(facts: Facts, table: OperatorTable) -> str:
    return operators_sentence(
        table.by,
        device_us=optional_us(table.device_ns),
        without_operator_us=optional_us(table.without_operator_ns),
        in_steps=table.in_steps,
        steps=len(facts.steps) if facts.steps.recorded else 0,
    )


def _cells(row: OperatorRow) -> tuple[Cell, ...]:
    device = row.device
    return (
        row.name,
        recorded_list(row.shapes) if row.shapes else None,
        None if row.stack is None else list(row.stack),
        user_source(row.stack),
        row.calls,
        us(row.host_self_ns),
        us(row.host_total_ns),
        *(round(ns) / 1000 for ns in (row.host.mean_ns, row.host.median_ns, row.host.p90_ns)),
        optional_us(row.device_self_ns),
        optional_us(row.device_total_ns),
        *(
            (None, None, None)
            if device is None
            else (round(ns) / 1000 for ns in (device.mean_ns, device.median_ns, device.p90_ns))
        ),
        row.share,
        row.cumulative_share,
        row.launches,
        *_limit_cells(row),
        optional_us(row.idle_ns),
        optional_us(row.wait_ns),
        row.is_eligible,
        row.tensor_total_ns / row.device_total_ns
        if row.tensor_total_ns is not None and row.device_total_ns
        else None,
    )


def _limit_cells(row: OperatorRow) -> tuple[Cell, ...]:
    """Rates are those of the covered part: none where it is the smaller one."""
    limit = row.limit
    if limit is None:
        return (None,) * 8
    is_covered = limit.covered_ns > COVERED_SHARE * (row.device_total_ns or 0)
    timed = limit.covered_ns if is_covered else None
    return (
        limit.flops,
        limit.bytes,
        us(limit.covered_ns),
        optional_us(limit.limit_ns),
        optional_us(limit.above_ns),
        1 - limit.above_ns / timed if timed and limit.above_ns is not None else None,
        limit.timed_flops / timed / FLOPS_A_NS if timed else None,
        limit.timed_bytes / timed / BYTES_A_NS if timed else None,
    )


def user_source(stack: tuple[str, ...] | None) -> str | None:
    """The innermost frame of the user's, else the innermost one."""
    if not stack:
        return None
    return next((frame for frame in stack if parse_frame(frame, exact=False) is not None), stack[0])
