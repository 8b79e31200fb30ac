"""The table of kernels, with how long they take and which follow each other again and again."""

from __future__ import annotations

from typing import Any

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_durations import SHORT_NS, Durations
from tbprof.analysis.figures.kernel_sequences import KernelSequence
from tbprof.analysis.figures.kernel_table import KernelRow, KernelTable, kernel_table
from tbprof.errors import UsageError
from tbprof.model import Source
from tbprof.texts.tables import OF_SHARE, OF_SUM, kernels_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Column, Json, Table, cells_of, recorded_list

_COLUMNS: tuple[Column[KernelRow], ...] = (
    Column("name", lambda row: row.name, is_in_tab=False),
    Column(
        "short_name",
        lambda row: row.short_name,
        head="kernel",
        about="shortened; its whole name is on hover and in the details",
        is_first=True,
    ),
    Column("library", lambda row: row.library, head="library"),
    Column("calls", lambda row: row.calls, "count", head="calls", is_first=True),
    Column("total_us", lambda row: us(row.total_ns), "us", head="total", is_first=True),
    Column("mean_us", lambda row: round(row.total_ns / row.calls) / 1000, "us", head="mean", is_first=True),
    Column("min_us", lambda row: us(row.min_ns), "us", head="min"),
    Column("max_us", lambda row: us(row.max_ns), "us", head="max"),
    Column("share", lambda row: row.share, "share", head="share", about=OF_SHARE, is_first=True),
    Column(
        "cumulative_share", lambda row: row.cumulative_share, "share", head="sum", about=OF_SUM, is_first=True
    ),
    Column(
        "grid",
        lambda row: _recorded(row.configuration.grid),
        head="grid",
        about="blocks, of the configuration that takes most time",
    ),
    Column("block", lambda row: _recorded(row.configuration.block), head="block", about="threads of a block"),
    Column(
        "registers_per_thread",
        lambda row: row.configuration.registers_per_thread,
        "count",
        head="registers",
        about="of a thread",
    ),
    Column(
        "shared_memory_bytes",
        lambda row: row.configuration.shared_memory_bytes,
        "bytes",
        head="shared memory",
        about="of a block",
    ),
    Column(
        "configurations",
        lambda row: row.configuration.count,
        "count",
        about="different grids, blocks, registers and shared memory",
    ),
    Column(
        "blocks_per_sm",
        lambda row: row.blocks_per_sm,
        "number",
        head="blocks per SM",
        about="mean, weighted by time; below 1 multiprocessors are left out",
        is_first=True,
    ),
    # Kineto writes 0 where it can make no estimate.
    Column(
        "occupancy",
        lambda row: row.occupancy_percent,
        "number",
        head="occupancy %",
        title="Occupancy, %",
        about="Kineto's estimate, mean weighted by time",
        is_first=True,
        is_never_zero=True,
    ),
    Column(
        "tensor_cores",
        lambda row: row.tensor_cores,
        head="tensor cores",
        about="whether its name says that it uses them",
        is_first=True,
    ),
    Column(
        "block_sizes",
        lambda row: None if row.compiled is None else row.compiled.block_sizes,
        head="block sizes",
        about="that torch.compile tuned its Triton kernel to",
    ),
    Column(
        "compiled_file",
        lambda row: None if row.compiled is None else row.compiled.file,
        head="compiled file",
        about="of torch.compile's output, on the machine that recorded",
    ),
    Column(
        "region",
        lambda row: row.origin.region,
        head="compiled region",
        about="or CUDA graph, from which most of its time comes",
        is_first=True,
    ),
    Column(
        "called_in",
        lambda row: None if row.origin.source is None else _function(row.origin.source),
        head="called in",
        about="the function of the model from which most of its time comes",
    ),
    Column(
        "places",
        lambda row: row.origin.places or None,
        "count",
        about="different regions and functions that launch it",
    ),
)


def kernels(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """The kernels of a trace, one row a name.

    Raises:
        UsageError: They are to be grouped by something else.
    """
    if by != "name":
        raise UsageError(f"kernels can't be grouped by {by}: give name")
    table = kernel_table(facts, in_steps=in_steps)
    return Table(
        name="kernels",
        by=by,
        sentence=_sentence(facts, table),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_COLUMNS,
        rows=cells_of(_COLUMNS, table.rows),
        beside={
            "total_us": us(table.total_ns),
            "durations": _durations(table.durations),
            "sequences": [_sequence(one) for one in table.sequences],
        },
    )


def _sentence(facts: Facts, table: KernelTable) -> str:
    return kernels_sentence(
        calls=sum(row.calls for row in table.rows),
        total_us=us(table.total_ns),
        short_calls=table.durations.short_calls,
        in_steps=table.in_steps,
        steps=len(facts.steps) if facts.steps.recorded else 0,
    )


def _recorded(sizes: str | None) -> list[Any] | None:
    return None if sizes is None else recorded_list(sizes)


def _function(source: Source) -> str:
    return f"{source.file}({source.line}): {source.function}"


def _durations(durations: Durations) -> Json:
    return {
        "short_below_us": us(SHORT_NS),
        "short_calls": durations.short_calls,
        "short_us": us(durations.short_ns),
        "bins": [
            {
                "from_us": us(one.from_ns),
                "below_us": optional_us(one.below_ns),
                "calls": one.calls,
                "total_us": us(one.total_ns),
            }
            for one in durations.bins
        ],
    }


def _sequence(sequence: KernelSequence) -> Json:
    return {
        "kernels": list(sequence.names),
        "count": sequence.count,
        "total_us": us(sequence.total_ns),
        "span_us": us(sequence.span_ns),
    }
