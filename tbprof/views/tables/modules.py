"""The table of modules: a tree of rows, whose own figures add up to those of the whole."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_table import ModuleRow, ModuleTable, module_table
from tbprof.errors import UsageError
from tbprof.texts.tables import modules_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Cell, Column, Table

_COLUMNS = (
    Column("name"),
    Column("tree", "module"),
    Column("class"),
    Column("path"),
    Column("kind"),
    Column("depth"),
    Column("count", "equal", "count"),
    Column("calls", "calls", "count"),
    Column("device_us", "device", "us"),
    Column("device_forward_us", "forward", "us"),
    Column("device_backward_us", "backward", "us"),
    Column("device_self_us", "self", "us"),
    Column("share", "share", "share"),
    Column("host_us", "host", "us"),
    Column("host_forward_us", "", "us"),
    Column("host_backward_us", "", "us"),
    Column("host_self_us", "", "us"),
    Column("launches", "launches", "count"),
    Column("idle_us", "idle", "us"),
    Column("wait_us", "waits", "us"),
    Column("least_us", "", "us"),
    Column("median_us", "median", "us"),
    Column("most_us", "", "us"),
    Column("odd", "odd one out"),
    Column("odd_us", "takes", "us"),
    Column("source", "called in"),
    Column("kernels"),
)


def modules(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """The modules of a trace, each behind the one it lies in.

    Raises:
        UsageError: They are to be grouped by something else, or none is recorded.
    """
    if by != "name":
        raise UsageError(f"modules can't be grouped by {by}: give name")
    table = module_table(facts, range(len(facts.steps)) if in_steps else None)
    if not table.names_parts:
        raise UsageError("this trace names no modules: record with the hook, or with_stack=True")
    depths = _depths(table.rows)
    whole = _ranked_us(table.rows[0], table)
    return Table(
        name="modules",
        by=by,
        sentence=_sentence(facts, table, in_steps=in_steps),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_COLUMNS,
        rows=tuple(
            _cells(row, depth, whole, table) for row, depth in zip(table.rows[1:], depths[1:], strict=True)
        ),
        beside={
            "device_us": us(table.rows[0].total.device_ns) if table.has_device else None,
            "host_us": us(table.rows[0].total.host_ns),
        },
    )


def _depths(rows: Sequence[ModuleRow]) -> list[int]:
    depths: list[int] = []
    for row in rows:
        depths.append(0 if row.parent is None else depths[row.parent] + 1)
    return depths


def _sentence(facts: Facts, table: ModuleTable, *, in_steps: bool) -> str:
    outside = [row for row in table.rows[1:] if row.kind == "outside"]
    return modules_sentence(
        total_us=_ranked_us(table.rows[0], table),
        outside_us=sum(_ranked_us(row, table) for row in outside),
        has_device=table.has_device,
        in_steps=in_steps,
        steps=len(facts.steps) if facts.steps.recorded else 0,
    )


def _ranked_us(row: ModuleRow, table: ModuleTable) -> float:
    return us(row.total.device_ns if table.has_device else row.total.host_ns)


def _cells(row: ModuleRow, depth: int, whole_us: float, table: ModuleTable) -> tuple[Cell, ...]:
    total, own, has_device = row.total, row.own, table.has_device
    spread = row.spread
    odd = None if spread is None else spread.odd
    return (
        row.name,
        f"{'  ' * (depth - 1)}{row.name}",
        row.class_name or None,
        " > ".join(row.path),
        row.kind,
        depth - 1,
        row.count if row.count > 1 else None,
        own.calls,
        us(total.device_ns) if has_device else None,
        us(total.device_forward_ns) if has_device else None,
        us(total.device_backward_ns) if has_device else None,
        us(own.device_ns) if has_device else None,
        _ranked_us(row, table) / whole_us if whole_us else None,
        us(total.host_ns),
        us(total.host_forward_ns),
        us(total.host_backward_ns),
        us(own.host_ns),
        total.launches if has_device else None,
        us(total.idle_ns) if has_device else None,
        us(total.wait_ns) if has_device else None,
        None if spread is None else us(spread.least_ns),
        None if spread is None else us(spread.median_ns),
        None if spread is None else us(spread.most_ns),
        None if odd is None else odd.name,
        optional_us(None if odd is None else odd.ns),
        row.source,
        [kernel.name for kernel in row.kernels],
    )
