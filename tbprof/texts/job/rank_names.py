"""What the ranks of a job are called."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, first_few

_MOST_NAMED = 6
_MOST_TOGETHER = 4


def rank_name(rank: int | None, worker: str, *, is_damaged: bool = False) -> str:
    name = worker if rank is None else f"rank {rank}"
    return f"{name} (damaged)" if is_damaged else name


def unrecorded_name(ranks: int) -> str:
    """Of ranks of which nothing tells the number."""
    return f"{count(ranks, 'rank')} without a window"


def begun(name: str) -> str:
    """At the begin of a sentence; the name of a worker stays as it is."""
    return f"R{name[1:]}" if name.startswith("rank ") else name


def late_name(name: str, also_late: Sequence[str]) -> str:
    """One rank, or those that come late together."""
    if not also_late:
        return name
    if len(also_late) < _MOST_TOGETHER:
        return " and ".join([", ".join([name, *also_late[:-1]]), also_late[-1]])
    shown = ", ".join(also_late[: _MOST_TOGETHER - 1])
    return f"{name} and {len(also_late):,} more that come with it ({shown}, ...)"


def named(names: Sequence[str]) -> str:
    """The first few, and how many there are besides."""
    return first_few(names, _MOST_NAMED)
