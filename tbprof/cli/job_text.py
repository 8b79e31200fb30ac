"""The job of a run, for a terminal and as markdown."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.escaping import escaped, plain, prose
from tbprof.texts.figures.quantities import duration, milliseconds, share, size
from tbprof.views.job.job_page import JobCollective, JobFix, JobPage, JobRank

_MOST_RANKS = 64
"""More are in JSON; these are the latest."""

_MOST_CAUSES = 8
_MOST_COLLECTIVES = 12

_RANK_HEADS = (
    "rank",
    "step",
    "computing",
    "exposed",
    "copying",
    "idle",
    "transfer",
    "waits",
    "late",
    "latest in",
)
_COLLECTIVE_HEADS = (
    "collective",
    "group",
    "ranks",
    "count",
    "message",
    "transfer",
    "waiting",
    "skew",
    "bus GB/s",
)
_NOTHING = "-"


def job_text(page: JobPage) -> str:
    """The verdict, why, what to do, the ranks, the collectives."""
    lines = [page.verdict, *([page.detail] if page.detail else [])]
    if page.late:
        lines += ["", *(f"  {cause.sentence}" for cause in page.late[:_MOST_CAUSES])]
    if page.plan:
        lines += ["", "What a step of the job gains:"]
        lines += [f"  {_worth(fix)}  {fix.title}" for fix in page.plan[:_MOST_CAUSES]]
    if page.ranks:
        lines += ["", "Ranks, ms of a step:", *_aligned(_RANK_HEADS, _rank_rows(page))]
    if page.collectives:
        lines += ["", "Matched collectives, ms of all ranks:"]
        lines += _aligned(_COLLECTIVE_HEADS, _collective_rows(page))
    if page.notes:
        lines += ["", "To know:", *(f"  {note}" for note in page.notes)]
    return "\n".join(plain(line) for line in lines) + "\n"


def job_markdown(page: JobPage) -> str:
    """The same."""
    lines = [f"**{prose(page.verdict)}** {prose(page.detail)}".rstrip()]
    if page.late:
        lines += ["", *(f"- {prose(cause.sentence)}" for cause in page.late[:_MOST_CAUSES])]
    if page.plan:
        lines += ["", "### What a step of the job gains", ""]
        lines += [
            f"{number}. {prose(fix.title)}: {_worth(fix)}"
            for number, fix in enumerate(page.plan[:_MOST_CAUSES], start=1)
        ]
    if page.ranks:
        lines += ["", "### Ranks, ms of a step", "", *_table(_RANK_HEADS, _rank_rows(page))]
    if page.collectives:
        lines += ["", "### Matched collectives, ms of all ranks", ""]
        lines += _table(_COLLECTIVE_HEADS, _collective_rows(page))
    if page.notes:
        lines += ["", "### To know", "", *(f"- {prose(note)}" for note in page.notes)]
    return "\n".join(lines) + "\n"


def _worth(fix: JobFix) -> str:
    bracket = f"at least {duration(fix.floor_us)}, at most {duration(fix.ceiling_us)}"
    return f"{duration(fix.estimate_us)} ({bracket})"


def _rank_rows(page: JobPage) -> list[tuple[str, ...]]:
    latest = sorted(range(len(page.ranks)), key=lambda at: -(page.ranks[at].late_us or 0.0))[:_MOST_RANKS]
    return [_rank_row(page.ranks[at]) for at in sorted(latest)]


def _rank_row(rank: JobRank) -> tuple[str, ...]:
    idle_us = sum(part.idle_us for part in rank.idle) if rank.computing_us is not None else None
    times = (rank.step_us, rank.computing_us, rank.communication_exposed_us, rank.copying_us, idle_us)
    others = (rank.transfer_us, rank.arrival_wait_us, rank.late_us)
    name = rank.worker if rank.rank is None else str(rank.rank)
    latest_in = _NOTHING if rank.latest_in is None else str(rank.latest_in)
    return (name, *map(_ms, (*times, *others)), latest_in)


def _collective_rows(page: JobPage) -> list[tuple[str, ...]]:
    return [_collective_row(row) for row in page.collectives[:_MOST_COLLECTIVES]]


def _collective_row(row: JobCollective) -> tuple[str, ...]:
    waiting = (
        f"{_ms(row.arrival_wait_us)} ({share(row.arrival_wait_us / row.total_us if row.total_us else 0)})"
    )
    return (
        row.kind,
        row.group or _NOTHING,
        str(row.ranks),
        str(row.count),
        _NOTHING if row.bytes is None else size(row.bytes),
        _ms(row.transfer_us),
        waiting,
        _ms(row.skew_us),
        _NOTHING if row.bus_gb_s is None else f"{row.bus_gb_s:.1f}",
    )


def _ms(us: float | None) -> str:
    return _NOTHING if us is None else milliseconds(us)


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in (heads, *rows)
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(heads) + " |",
        "|---" * len(heads) + "|",
        *("| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows),
    ]
