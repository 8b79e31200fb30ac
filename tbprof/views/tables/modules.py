"""The table of modules: a tree of rows, whose own figures add up to those of the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_parts import Member
from tbprof.analysis.figures.module_table import (
    ModuleRow,
    ModuleTable,
    Spread,
    module_table,
)
from tbprof.errors import UsageError
from tbprof.records import dataclass
from tbprof.texts.tables import OF_IDLE, OF_LAUNCHES, OF_SHARE, OF_SOURCE, OF_WAITS, modules_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Column, Table, cells_of


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with what its cells need of the whole."""

    module: ModuleRow
    depth: int
    """0 of what lies in no other."""
    whole_us: float
    has_device: bool

    def on_device(self, value: int) -> int | None:
        return value if self.has_device else None

    @property
    def ranked_us(self) -> float:
        total = self.module.total
        return us(total.device_ns if self.has_device else total.host_ns)

    @property
    def odd(self) -> Member | None:
        return None if self.module.spread is None else self.module.spread.odd


def _spread_us(row: _Row, ns: Callable[[Spread], int]) -> float | None:
    return None if row.module.spread is None else us(ns(row.module.spread))


_COLUMNS: tuple[Column[_Row], ...] = (
    Column("name", lambda row: row.module.name, is_first=True),
    Column("tree", lambda row: f"{'  ' * row.depth}{row.module.name}", head="module"),
    Column("class", lambda row: row.module.class_name or None),
    Column("path", lambda row: " > ".join(row.module.path)),
    Column("kind", lambda row: row.module.kind),
    Column("depth", lambda row: row.depth),
    Column(
        "count",
        lambda row: row.module.count if row.module.count > 1 else None,
        "count",
        head="equal",
        about="layers that stand in one row",
        is_first=True,
    ),
    Column("calls", lambda row: row.module.own.calls, "count", head="calls", is_first=True),
    Column(
        "device_us",
        lambda row: optional_us(row.on_device(row.module.total.device_ns)),
        "us",
        head="device",
        title="GPU",
        about="kernels, copies and memsets launched inside, or by its backward pass",
        is_first=True,
    ),
    Column(
        "device_forward_us",
        lambda row: optional_us(row.on_device(row.module.total.device_forward_ns)),
        "us",
        head="forward",
        title="GPU forward",
    ),
    Column(
        "device_backward_us",
        lambda row: optional_us(row.on_device(row.module.total.device_backward_ns)),
        "us",
        head="backward",
        title="GPU backward",
        is_first=True,
    ),
    Column(
        "device_self_us",
        lambda row: optional_us(row.on_device(row.module.own.device_ns)),
        "us",
        head="self",
        title="GPU self",
        about="kernels, copies and memsets that it launched itself",
        is_first=True,
    ),
    Column(
        "share",
        lambda row: row.ranked_us / row.whole_us if row.whole_us else None,
        "share",
        head="share",
        about=OF_SHARE,
        is_first=True,
    ),
    Column(
        "host_us", lambda row: us(row.module.total.host_ns), "us", head="host", about="with everything inside"
    ),
    Column("host_forward_us", lambda row: us(row.module.total.host_forward_ns), "us"),
    Column("host_backward_us", lambda row: us(row.module.total.host_backward_ns), "us"),
    Column(
        "host_self_us",
        lambda row: us(row.module.own.host_ns),
        "us",
        about="time on the host without what is recorded inside it",
        is_first=True,
    ),
    Column(
        "launches",
        lambda row: row.on_device(row.module.total.launches),
        "count",
        head="launches",
        about=OF_LAUNCHES,
        is_first=True,
    ),
    Column(
        "idle_us",
        lambda row: optional_us(row.on_device(row.module.total.idle_ns)),
        "us",
        head="idle",
        title="GPU idle",
        about=OF_IDLE,
        is_first=True,
    ),
    Column(
        "wait_us",
        lambda row: optional_us(row.on_device(row.module.total.wait_ns)),
        "us",
        head="waits",
        about=OF_WAITS,
        is_first=True,
    ),
    Column(
        "least_us",
        lambda row: _spread_us(row, lambda spread: spread.least_ns),
        "us",
        about="of the equal layers",
    ),
    Column(
        "median_us",
        lambda row: _spread_us(row, lambda spread: spread.median_ns),
        "us",
        head="median",
        about="of the equal layers",
        is_first=True,
    ),
    Column(
        "most_us",
        lambda row: _spread_us(row, lambda spread: spread.most_ns),
        "us",
        about="of the equal layers",
    ),
    Column(
        "odd",
        lambda row: None if row.odd is None else row.odd.name,
        head="odd one out",
        about="of the equal layers",
        is_first=True,
    ),
    Column(
        "odd_us",
        lambda row: None if row.odd is None else us(row.odd.ns),
        "us",
        head="takes",
        title="It takes",
        is_first=True,
    ),
    Column("source", lambda row: row.module.source, head="called in", about=OF_SOURCE, is_first=True),
    Column("kernels", lambda row: [kernel.name for kernel in row.module.kernels]),
)


def modules(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """The modules of a trace, each after the one it lies in.

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
        rows=cells_of(
            _COLUMNS,
            [
                _Row(row, depth - 1, whole, table.has_device)
                for row, depth in zip(table.rows[1:], depths[1:], strict=True)
            ],
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
