"""The verdict on a job: who its ranks wait for, and how long."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.job.rank_names import begun, late_name, named

_EVEN = 0.02
"""Of a step: less waiting is not worth a word."""


def _compared(ranks: int, of: int) -> str:
    """Who a verdict is about; `of` ranks are in the job."""
    return count(ranks, "rank") if ranks == of else f"The {ranks:,} ranks compared of {of:,}"


def absent_sentence(names: Sequence[str], ranks: int) -> str:
    """What follows from ranks that are not compared; some of them may share a name."""
    who = begun(named(names))
    if ranks == 1:
        return f"{who} is not compared: if it is the late one, waits for it look like transfer."
    return f"{who} are not compared: if one of them is the late one, waits for it look like transfer."


def few_matched_sentence(sentence: str, matched: int, of: int) -> str:
    """A verdict that stands on a part of what was recorded."""
    return f"{sentence.removesuffix('.')} (by {matched:,} of {count(of, 'collective')})."


def late_sentence(
    ranks: int,
    of: int,
    waiting_share: float | None,
    name: str,
    also_late: Sequence[str],
    late_us: float,
    due_us: float,
    phrase: str,
) -> str:
    """The verdict where one rank is late, or several together."""
    waits = "the others wait" if ranks > 2 else "the other one waits"
    if waiting_share is not None:
        waits = f"{waits} {share(waiting_share)} of a step"
    why = f"{duration(due_us)} of it: {phrase}" if duration(due_us) != duration(late_us) else phrase
    who = f"{late_name(name, also_late)}, which {'are' if also_late else 'is'}"
    return f"{_compared(ranks, of)}: {waits} for {who} late by {duration(late_us)} a step, {why}."


def in_turn_sentence(ranks: int, of: int, waiting_share: float, most: str, most_share: float) -> str:
    """The verdict where ranks are late in turn."""
    return (
        f"{_compared(ranks, of)} are late in turn: {share(waiting_share)} of a step is waiting for whoever "
        f"comes last. {share(most_share)} of the lateness: {most}."
    )


def even_sentence(ranks: int, of: int, waiting_share: float) -> str:
    """The verdict where no rank stands out; `waiting_share` of a step is waiting all the same."""
    if waiting_share < _EVEN:
        return f"{_compared(ranks, of)} arrive together: no rank is late by more than noise."
    return (
        f"{_compared(ranks, of)} wait {share(waiting_share)} of a step for one another, and neither one of "
        "them nor a few together are the last ones."
    )


def alone_sentence(name: str) -> str:
    return f"Only {name} is here: who waits for whom is told by several ranks of a run."


def alone_detail() -> str:
    how = "with the hook in each process, or by copying the traces of all ranks into one folder"
    return f"Let every rank record into the same run: {how} below the log directory."


def no_collectives_sentence(ranks: int) -> str:
    if ranks < 2:
        return "No collective was recorded: whether ranks wait for one another can't be told."
    recorded = f"{count(ranks, 'rank')} recorded, fewer than two of them with collectives"
    return f"{recorded}: whether one waits for another can't be told."


def none_matched_sentence(ranks: int) -> str:
    return f"{count(ranks, 'rank')} recorded, and no collective of one could be matched with those of others."


def waiting_sentence(waiting_share: float, matched: int) -> str:
    return (
        f"{share(waiting_share)} of the time in {count(matched, 'matched collective')} is waiting for the "
        "last rank to arrive, the rest transfer."
    )
