"""What is to be said of windows side by side: ranks, and windows over the training."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, duration, share

__all__ = ["change_sentences", "missing_sentence", "ranks_sentences", "read_sentence"]

_FAR_APART = 2.0
"""Waits that differ by less are alike."""

_MOST_NAMED = 6


def ranks_sentences(ranks: Sequence[tuple[str, float | None, float]], *, are_ranked: bool) -> tuple[str, str]:
    """The verdict over ranks as (name, share of idle, wait in us), and how to compare them.

    Not `are_ranked`, they are workers of which some have no rank.
    """
    kind = "rank" if are_ranked else "worker"
    by_idle = f"The host of a busy GPU waits long: compare {kind}s by GPU idle, not by waits."
    idle = {name: idle for name, idle, _ in ranks if idle is not None}
    if len(idle) < 2:
        return f"{count(len(ranks), kind)} recorded, fewer than two with GPU work.", ""
    waits = {name: wait for name, _, wait in ranks}
    most, least = max(idle, key=lambda name: idle[name]), min(idle, key=lambda name: idle[name])
    longest, shortest = max(waits.values()), min(waits.values())
    if longest > _FAR_APART * shortest > 0 and max(waits, key=lambda name: waits[name]) == least:
        fold = f"{longest / shortest:,.0f}-fold"
        return f"Waits differ {fold}, and {kind} {least}, which waits longest, is the least idle.", by_idle
    if share(idle[most]) == share(idle[least]):
        return f"All {kind}s are idle alike: {share(idle[most])} of a step.", by_idle
    return (
        f"{kind.capitalize()} {most} is idle most, {share(idle[most])} of a step; "
        f"{kind} {least} least, {share(idle[least])}.",
        by_idle,
    )


def missing_sentence(ranks: Sequence[int]) -> str:
    """Which ranks were not recorded; "" if all were."""
    if not ranks:
        return ""
    named = ", ".join(str(rank) for rank in ranks[:_MOST_NAMED])
    more = f" and {len(ranks) - _MOST_NAMED} more" if len(ranks) > _MOST_NAMED else ""
    return f"Not recorded: rank {named}{more}. A rank that was not recorded may hold up the others unseen."


def read_sentence(read: int, total: int) -> str:
    """While windows are being read nothing is said of all of them."""
    return f"{read} of {count(total, 'window')} read so far."


def change_sentences(windows: int, before_us: float, after_us: float, since: str) -> tuple[str, str]:
    """How the step went over the windows; `since` names where it changed, "" if it did not."""
    if not since:
        return (
            f"No lasting change in step time over {count(windows, 'window')}.",
            "A change is reported when it lasts for three windows and exceeds the noise between them.",
        )
    word = "longer" if after_us > before_us else "shorter"
    part = share(abs(after_us - before_us) / before_us)
    return (
        f"Steps are {part} {word} since {since}: {duration(after_us)} instead of {duration(before_us)}.",
        "Medians of the windows before and after.",
    )
