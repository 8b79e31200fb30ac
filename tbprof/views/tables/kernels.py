"""The table of kernels, with how long they take and which follow each other again and again."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_durations import SHORT_NS, Durations
from tbprof.analysis.figures.kernel_sequences import KernelSequence
from tbprof.analysis.figures.kernel_table import KernelRow, KernelTable, kernel_table
from tbprof.errors import UsageError
from tbprof.model import Source
from tbprof.texts.tables import kernels_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Cell, Column, Json, Table, recorded_list

_COLUMNS = (
    Column("name"),
    Column("short_name", "kernel"),
    Column("library", "library"),
    Column("calls", "calls", "count"),
    Column("total_us", "total", "us"),
    Column("mean_us", "mean", "us"),
    Column("min_us", "min", "us"),
    Column("max_us", "max", "us"),
    Column("share", "share", "share"),
    Column("cumulative_share", "sum", "share"),
    Column("grid", "grid"),
    Column("block", "block"),
    Column("registers_per_thread", "registers", "count"),
    Column("shared_memory_bytes", "shared memory", "bytes"),
    Column("configurations", "", "count"),
    Column("blocks_per_sm", "blocks per SM", "number"),
    Column("occupancy", "occupancy %", "number"),
    Column("tensor_cores", "tensor cores"),
    Column("block_sizes", "block sizes"),
    Column("compiled_file", "compiled file"),
    Column("region", "compiled region"),
    Column("called_in", "called in"),
    Column("places", "", "count"),
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
        rows=tuple(_cells(row) for row in table.rows),
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


def _cells(row: KernelRow) -> tuple[Cell, ...]:
    how = row.configuration
    return (
        row.name,
        row.short_name,
        row.library,
        row.calls,
        us(row.total_ns),
        round(row.total_ns / row.calls) / 1000,
        us(row.min_ns),
        us(row.max_ns),
        row.share,
        row.cumulative_share,
        None if how.grid is None else recorded_list(how.grid),
        None if how.block is None else recorded_list(how.block),
        how.registers_per_thread,
        how.shared_memory_bytes,
        how.count,
        row.blocks_per_sm,
        row.occupancy_percent,
        row.tensor_cores,
        None if row.compiled is None else row.compiled.block_sizes,
        None if row.compiled is None else row.compiled.file,
        row.origin.region,
        None if row.origin.source is None else _function(row.origin.source),
        row.origin.places or None,
    )


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
