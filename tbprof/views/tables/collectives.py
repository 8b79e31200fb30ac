"""The table of collectives: by kind, group, type and size, with what nothing covers and bandwidths."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.communication_totals import communication_totals, overlapped_counts
from tbprof.errors import UsageError
from tbprof.model import CollectiveTotal
from tbprof.texts.tables import collectives_sentence
from tbprof.views.steady import optional_us, us
from tbprof.views.tables.cells import Column, Table, cells_of

_COLUMNS: tuple[Column[CollectiveTotal], ...] = (
    Column("kind", lambda row: row.kind, head="collective"),
    Column("group", lambda row: row.group, head="group"),
    Column("ranks", lambda row: row.ranks),
    Column("group_size", lambda row: row.group_size, "count", head="ranks"),
    Column("dtype", lambda row: row.dtype, head="type"),
    Column("count", lambda row: row.count, "count", head="count"),
    Column("message_bytes", lambda row: row.message_bytes, "bytes", head="message"),
    Column("bytes_in", lambda row: row.bytes_in, "bytes", head="in"),
    Column("bytes_out", lambda row: row.bytes_out, "bytes", head="out"),
    Column("total_us", lambda row: us(row.total_ns), "us", head="time"),
    Column("exposed_us", lambda row: optional_us(row.exposed_ns), "us", head="exposed"),
    Column("shortest_us", lambda row: us(row.shortest_ns), "us", head="shortest"),
    Column("longest_us", lambda row: us(row.longest_ns), "us", head="longest"),
    Column("transfer_us", lambda row: optional_us(row.transfer_ns), "us", head="transfer"),
    Column("arrival_wait_us", lambda row: optional_us(row.arrival_wait_ns), "us", head="waiting"),
    Column("algorithm_gb_s", lambda row: row.algorithm_gb_s, "number", head="GB/s"),
    Column("bus_gb_s", lambda row: row.bus_gb_s, "number", head="bus GB/s"),
    Column("on", lambda row: row.on, head="on"),
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
    counts = overlapped_counts(facts) if found and facts.device_is_known else {}
    about = "How many run at least half of their time beside computing."
    columns = (*_COLUMNS, Column("overlapped", counts.get, "count", head="overlapped", about=about))
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
        columns=columns,
        rows=cells_of(columns, found),
        beside={"exposed_us": exposed, "overlapped_us": overlapped},
    )
