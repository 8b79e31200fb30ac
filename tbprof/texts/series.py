"""What is to be said of windows side by side: ranks, and windows over the training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tbprof.texts.figures.quantities import count, duration, first_few, share

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
    most, least = _alike(idle, max(idle.values())), _alike(idle, min(idle.values()))
    longest, shortest = max(waits.values()), min(waits.values())
    waiting = [name for name, wait in waits.items() if duration(wait) == duration(longest)]
    if longest > _FAR_APART * shortest > 0 and len(waiting) == 1 and waiting == least:
        fold = f"{longest / shortest:,.0f}-fold"
        who = _listed(least, len(idle), kind)
        return f"Waits differ {fold}, and {who}, which waits longest, is the least idle.", by_idle
    if len(most) == len(idle):
        return f"All {kind}s are idle alike: {share(idle[most[0]])} of the time.", by_idle
    return (
        f"{_named(most, len(idle), kind)} idle most, {share(idle[most[0]])} of the time; "
        f"{_listed(least, len(idle), kind)} least, {share(idle[least[0]])}.",
        by_idle,
    )


def _alike(shares: Mapping[str, float], value: float) -> list[str]:
    """All with the same share, as it is written: a difference that no screen shows makes nobody the worst."""
    return [name for name, other in shares.items() if share(other) == share(value)]


def _named(names: Sequence[str], of: int, kind: str) -> str:
    listed = _listed(names, of, kind)
    # The name of a worker stays as it is.
    begun = f"{listed[0].upper()}{listed[1:]}" if listed.startswith((f"{kind} ", f"{kind}s ")) else listed
    return f"{begun} {'is' if len(names) == 1 else 'are'}"


def _listed(names: Sequence[str], of: int, kind: str) -> str:
    """Each by its name, or how many they are."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} of {of} {kind}s"
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    if all(name.lower().startswith(kind) for name in names):
        return listed
    return f"{kind if len(names) == 1 else f'{kind}s'} {listed}"


def missing_sentence(ranks: Sequence[int]) -> str:
    """A sentence on the ranks that were not recorded; "" if all were."""
    if not ranks:
        return ""
    named = first_few(ranks, _MOST_NAMED)
    return f"Not recorded: rank {named}. A rank that was not recorded may hold up the others unseen."


def behind_sentence(newest: int, ranks: Sequence[int], *, is_arriving: bool) -> str:
    """A sentence on the ranks that have fewer windows than the others; "" if none has.

    Args:
        newest: The place in line of the newest window.
        ranks: Those that have no such window.
        is_arriving: It is so young that it may still come from them.
    """
    if not ranks:
        return ""
    what = f"window {newest:,}, the newest, of rank {first_few(ranks, _MOST_NAMED)}"
    if is_arriving:
        return f"Not recorded so far: {what}."
    return f"Not recorded: {what}. A rank with fewer windows than the others has stopped or left one out."


_OF_PART = "Its figures are of the part before."
DAMAGED_ALONE = f"Damaged: the trace ends early. {_OF_PART}"
"""The word for a damaged run with one worker."""


def damaged_sentence(ranks: Sequence[int]) -> str:
    """A sentence on the ranks whose traces could be read only in part; "" if all are whole."""
    if not ranks:
        return ""
    of = "the trace ends early" if len(ranks) == 1 else "the traces end early"
    return f"Damaged: rank {first_few(ranks, _MOST_NAMED)}, {of}. {_OF_PART}"


def part_sentence(number: int, parts: int, windows: int, of: int) -> str:
    """A sentence: the part of a folder's windows that is shown, and how many of all it holds."""
    return f"This is part {number:,} of {parts:,}: {windows:,} of {count(of, 'window')}."


def read_sentence(read: int, total: int) -> str:
    """While windows are being read nothing is said of all of them."""
    return f"{read} of {count(total, 'window')} read so far."


def few_windows_sentences(windows: int, first_us: float, last_us: float) -> tuple[str, str]:
    """Where there are too few to tell a change from noise; `first_us` and `last_us` are their steps."""
    if windows == 1:
        return f"A step takes {duration(first_us)}; one window shows no change.", ""
    return (
        f"A step takes {duration(last_us)} in the last of {count(windows, 'window')}, "
        f"{duration(first_us)} in the first: too few to tell a lasting change.",
        "A change is reported when it lasts for three windows and exceeds the noise between them.",
    )


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
