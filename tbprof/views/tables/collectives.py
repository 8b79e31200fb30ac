"""The table of collectives: by kind, group, type and size, with what nothing covers and bandwidths."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.communication_totals import communication_totals
from tbprof.errors import UsageError
from tbprof.model import CollectiveTotal
from tbprof.texts.tables import collectives_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Cell, Column, Table

_COLUMNS = (
    Column("kind", "collective"),
    Column("group", "group"),
    Column("ranks"),
    Column("group_size", "ranks", "count"),
    Column("dtype", "type"),
    Column("count", "count", "count"),
    Column("message_bytes", "message", "bytes"),
    Column("bytes_in", "in", "bytes"),
    Column("bytes_out", "out", "bytes"),
    Column("total_us", "time", "us"),
    Column("exposed_us", "exposed", "us"),
    Column("shortest_us", "shortest", "us"),
    Column("longest_us", "longest", "us"),
    Column("transfer_us", "transfer", "us"),
    Column("arrival_wait_us", "waiting", "us"),
    Column("algorithm_gb_s", "GB/s", "number"),
    Column("bus_gb_s", "bus GB/s", "number"),
    Column("on", "on"),
)


def collectives(facts: Facts, by: str, *, in_steps: bool) -> Table:
    """The collectives of a trace, one row a kind, group, type and size; those of the host last.

    Raises:
        UsageError: They are to be grouped by something else, or to be counted in steps alone.
    """
    if by != "name":
        raise UsageError(f"collectives can't be grouped by {by}: give name")
    if in_steps:
        raise UsageError("collectives are counted over the whole trace: leave --scope out")
    communication = communication_totals(facts)
    found = () if communication is None else communication.collectives
    exposed = None if communication is None else optional_us(communication.exposed_ns)
    overlapped = None if communication is None else optional_us(communication.overlapped_ns)
    return Table(
        name="collectives",
        by=by,
        sentence=collectives_sentence(
            sum(total.count for total in found), exposed, is_cut_off=facts.trace.is_cut_off
        ),
        in_steps=in_steps,
        steps=facts.steps.names if facts.steps.recorded else (),
        columns=_COLUMNS,
        rows=tuple(_cells(total) for total in found),
        beside={"exposed_us": exposed, "overlapped_us": overlapped},
    )


def _cells(total: CollectiveTotal) -> tuple[Cell, ...]:
    return (
        total.kind,
        total.group,
        total.ranks,
        total.group_size,
        total.dtype,
        total.count,
        total.message_bytes,
        total.bytes_in,
        total.bytes_out,
        us(total.total_ns),
        optional_us(total.exposed_ns),
        us(total.shortest_ns),
        us(total.longest_ns),
        optional_us(total.transfer_ns),
        optional_us(total.arrival_wait_ns),
        total.algorithm_gb_s,
        total.bus_gb_s,
        total.on,
    )
