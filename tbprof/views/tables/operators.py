"""The table of operators."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_grouping import GROUPINGS, Grouping
from tbprof.analysis.figures.operator_limits import BYTES_A_NS, FLOPS_A_NS, device_peaks
from tbprof.analysis.figures.operator_table import (
    OperatorRow,
    OperatorTable,
    RowLimit,
    Spread,
    operator_table,
)
from tbprof.errors import UsageError
from tbprof.texts.tables import (
    OF_IDLE,
    OF_LAUNCHES,
    OF_SHAPES,
    OF_SHARE,
    OF_SOURCE,
    OF_SUM,
    OF_WAITS,
    operators_sentence,
)
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Cell, Column, Table, cells_of, recorded_list

COVERED_SHARE = 0.5
"""The share of a row's device time below which how near the rest comes to the limit says nothing."""


def _of_limit(figure: Callable[[RowLimit], Cell]) -> Callable[[OperatorRow], Cell]:
    return lambda row: None if row.limit is None else figure(row.limit)


def _of_times(times: Spread | None, ns: Callable[[Spread], float]) -> float | None:
    return None if times is None else round(ns(times)) / 1000


def _timed_ns(row: OperatorRow) -> int | None:
    """What rates are of: the covered part, and none where it is the smaller one."""
    limit = row.limit
    is_covered = limit is not None and limit.covered_ns > COVERED_SHARE * (row.device_total_ns or 0)
    return limit.covered_ns if limit is not None and is_covered else None


def _share_of_limit(row: OperatorRow) -> float | None:
    limit, timed_ns = row.limit, _timed_ns(row)
    return 1 - limit.above_ns / timed_ns if limit and timed_ns and limit.above_ns is not None else None


def _reached(row: OperatorRow, amount: Callable[[RowLimit], float], a_ns: float) -> float | None:
    limit, timed_ns = row.limit, _timed_ns(row)
    return amount(limit) / timed_ns / a_ns if limit and timed_ns else None


def _tensor_cores_used(row: OperatorRow) -> float | None:
    if row.tensor_total_ns is None or not row.device_total_ns:
        return None
    return row.tensor_total_ns / row.device_total_ns


_COLUMNS: tuple[Column[OperatorRow], ...] = (
    Column("name", lambda row: row.name, head="operator", title="Name", is_first=True),
    Column(
        "shapes",
        lambda row: recorded_list(row.shapes) if row.shapes else None,
        head="shapes",
        about=OF_SHAPES,
        is_first=True,
    ),
    # The details of a row have it: of many rows it would be most of what is sent.
    Column("stack", lambda row: None if row.stack is None else list(row.stack), is_in_tab=False),
    Column(
        "source",
        lambda row: user_source(row.stack),
        head="in",
        title="Called in",
        about=OF_SOURCE,
        is_first=True,
    ),
    Column("calls", lambda row: row.calls, "count", head="calls", is_first=True),
    Column(
        "host_self_us",
        lambda row: us(row.host_self_ns),
        "us",
        head="host self",
        about="time on the host without what is recorded inside it",
        is_first=True,
    ),
    Column(
        "host_total_us",
        lambda row: us(row.host_total_ns),
        "us",
        head="host total",
        about="time on the host with everything inside it",
        is_first_on_host=True,
    ),
    Column(
        "host_mean_us",
        lambda row: _of_times(row.host, lambda times: times.mean_ns),
        "us",
        about="of a call, with everything inside it",
        is_first_on_host=True,
    ),
    Column(
        "host_median_us",
        lambda row: _of_times(row.host, lambda times: times.median_ns),
        "us",
        about="of a call, with everything inside it",
        is_first_on_host=True,
    ),
    Column(
        "host_p90_us",
        lambda row: _of_times(row.host, lambda times: times.p90_ns),
        "us",
        about="nine of ten calls take less on the host",
    ),
    Column(
        "device_self_us",
        lambda row: optional_us(row.device_self_ns),
        "us",
        head="device self",
        title="GPU self",
        about="kernels, copies and memsets that it launched itself",
        is_first=True,
    ),
    Column(
        "device_total_us",
        lambda row: optional_us(row.device_total_ns),
        "us",
        head="device total",
        title="GPU total",
        about="with what operators inside it launched",
        is_first=True,
    ),
    Column(
        "device_mean_us",
        lambda row: _of_times(row.device, lambda times: times.mean_ns),
        "us",
        head="mean",
        title="GPU mean",
        about="of a call, with what operators inside it launched",
    ),
    Column(
        "device_median_us",
        lambda row: _of_times(row.device, lambda times: times.median_ns),
        "us",
        head="median",
        title="GPU median",
        about="of a call, with what operators inside it launched",
    ),
    Column(
        "device_p90_us",
        lambda row: _of_times(row.device, lambda times: times.p90_ns),
        "us",
        head="p90",
        title="GPU p90",
        about="nine of ten calls take less on the GPU",
    ),
    Column("share", lambda row: row.share, "share", head="share", about=OF_SHARE, is_first=True),
    Column(
        "cumulative_share",
        lambda row: row.cumulative_share,
        "share",
        head="sum",
        about=OF_SUM,
        is_first=True,
    ),
    Column("launches", lambda row: row.launches, "count", head="launches", about=OF_LAUNCHES, is_first=True),
    Column(
        "flops",
        _of_limit(lambda limit: limit.flops),
        "count",
        title="FLOPs",
        about="floating-point operations that the shapes require",
    ),
    Column(
        "bytes",
        _of_limit(lambda limit: limit.bytes),
        "bytes",
        about="that have to be read and written at least",
    ),
    Column(
        "covered_us",
        _of_limit(lambda limit: us(limit.covered_ns)),
        "us",
        about="GPU time for which formulas know FLOPs and bytes",
    ),
    Column(
        "limit_us",
        _of_limit(lambda limit: optional_us(limit.limit_ns)),
        "us",
        about="what the GPU needs for that at its peak rates",
    ),
    Column(
        "above_limit_us",
        _of_limit(lambda limit: optional_us(limit.above_ns)),
        "us",
        head="above limit",
        about="what it took longer than that",
        is_first=True,
    ),
    Column(
        "share_of_limit",
        _share_of_limit,
        "share",
        head="of limit",
        about="how near it comes to the GPU's peak rate, of computing or of memory",
        is_first=True,
    ),
    Column(
        "reached_tflops",
        lambda row: _reached(row, lambda limit: limit.timed_flops, FLOPS_A_NS),
        "number",
        head="TFLOP/s",
    ),
    Column(
        "reached_tb_s",
        lambda row: _reached(row, lambda limit: limit.timed_bytes, BYTES_A_NS),
        "number",
        head="TB/s",
    ),
    Column(
        "idle_us",
        lambda row: optional_us(row.idle_ns),
        "us",
        head="idle",
        title="GPU idle",
        about=OF_IDLE,
        is_first=True,
    ),
    Column(
        "wait_us", lambda row: optional_us(row.wait_ns), "us", head="waits", about=OF_WAITS, is_first=True
    ),
    Column(
        "tensor_cores_eligible",
        lambda row: row.is_eligible,
        title="Eligible",
        about="computes what tensor cores can",
    ),
    Column(
        "tensor_cores_used",
        _tensor_cores_used,
        "share",
        head="tensor cores",
        about="share of its GPU time in kernels that use them",
    ),
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
        rows=cells_of(_COLUMNS, table.rows),
        beside={
            "device_us": optional_us(table.device_ns),
            "without_operator_us": optional_us(table.without_operator_ns),
            "limits_of": None if peaks is None else peaks.name,
        },
    )


def _columns(grouping: Grouping) -> tuple[Column[OperatorRow], ...]:
    """The columns; by module, label or step the first one is the name of that."""
    if grouping in ("name", "shapes", "stack"):
        return _COLUMNS
    return (dataclasses.replace(_COLUMNS[0], head=grouping), *_COLUMNS[1:])


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


def user_source(stack: tuple[str, ...] | None) -> str | None:
    """The innermost frame of the user's, else the innermost one."""
    if not stack:
        return None
    return next((frame for frame in stack if parse_frame(frame, exact=False) is not None), stack[0])
