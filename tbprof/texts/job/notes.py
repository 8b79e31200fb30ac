"""What is to be known of a job besides its verdict: who and what is not in it, and why."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, share
from tbprof.texts.job.rank_names import begun, named

_UNMATCHED = {
    "one_rank": "only one rank of the group is here",
    "not_on_all_ranks": "not all ranks of the group recorded them",
    "different_kinds": "ranks do different collectives in the same place, as in a job that is about to hang",
    "ambiguous": "ranks recorded different numbers of equal ones, and nothing tells which belong together",
}

_NO_RECORD = {
    "nothing": "no collective was recorded in its steps",
    "damaged": "its trace ends early, and no collective was recorded in the steps before",
    "older": "an older version made its report, which does not say what ranks are compared by: delete the "
    "report, or publish its trace again",
}


def missing_note(missing: Sequence[int]) -> str:
    return f"{_numbers(missing)} recorded no window: the figures are those of the others."


def unnumbered_note(missing: Sequence[int], workers: Sequence[str]) -> str:
    """Whose the windows of some workers are that tell no number of the job."""
    their = "whose file tells" if len(workers) == 1 else "whose files tell"
    who = f"{named(workers)}, {their} no rank of this job"
    if lacking := max(len(missing) - len(workers), 0):
        others = "is the other one" if len(workers) == 1 else "are the others"
        of = _numbers(missing)
        return f"Of r{of[1:]} most likely {lacking:,} recorded no window: {who}, {others}."
    are = "is" if len(missing) == 1 else "are"
    among = " among" if len(missing) < len(workers) else ""
    return f"{_numbers(missing)} {are} most likely{among} {who}."


def other_windows_note(ranks: Sequence[int]) -> str:
    have = "has" if len(ranks) == 1 else "have"
    return f"{_numbers(ranks)} {have} windows of another training only: the figures are those of the others."


def _numbers(ranks: Sequence[int]) -> str:
    """At the begin of a sentence."""
    noun = "Rank" if len(ranks) == 1 else "Ranks"
    return f"{noun} {named([str(rank) for rank in ranks])}"


def not_newest_note(
    shown: int, newest: int, *, lacking: Sequence[str], damaged: Sequence[str], is_arriving: bool
) -> str:
    """Why the newest window of a run is not the one that is shown.

    Args:
        shown: The place in line of the window that is.
        newest: That of the newest one.
        lacking: Ranks that have no such window.
        damaged: Those whose newest window can't be read, or only in part.
        is_arriving: It is so young that it may still come from the others.
    """
    so_far, broken = (" so far", "not whole") if is_arriving else ("", "damaged")
    note = (
        f"Window {shown:,} of {newest:,} is shown, the last that all ranks have: of window {newest:,}, "
        f"the newest, {named(lacking)} {'has' if len(lacking) == 1 else 'have'} none{so_far}"
    )
    if not damaged:
        return f"{note}."
    those = "that" if len(damaged) == 1 else "those"
    return f"{note}, and {those} of {named(damaged)} {'is' if len(damaged) == 1 else 'are'} {broken}."


def newest_command(newest: int) -> str:
    return f"`tbprof job --window {newest}` shows it."


def problem_note(name: str, why: str) -> str:
    """`why` is a sentence, or the reason for which a report says nothing of collectives."""
    return f"{begun(name)} is left out: {_NO_RECORD.get(why, why).removesuffix('.')}."


def left_out_sentence(name: str, group: str, number: int, of: int) -> str:
    """Of a rank with which fewer collectives could be matched than without it."""
    of_group = f" in group {group}" if group else ""
    return (
        f"{begun(name)} is not compared{of_group}: of the others' {count(of, 'collective')} it has "
        f"{number:,} on record, too few to match or in another order."
    )


def unmatched_sentence(group: str, reason: str, number: int) -> str:
    of_group = f" of group {group}" if group else ""
    return f"{count(number, 'collective')}{of_group} not matched: {_UNMATCHED[reason]}."


def older_worker_note(worker: str) -> str:
    return f"{worker} is left out: a later training of this run has its rank."


def other_training_note(worker: str, ranks: int, usual: int) -> str:
    of = count(ranks, "rank")
    return f"{worker} is left out: it is of a training with {of}, the others of one with {usual:,}."


def same_rank_note(worker: str, taken: str, name: str) -> str:
    return f"{worker} is left out: {taken} is {name}, too."


def damaged_note(name: str) -> str:
    return f"The trace of {name} ends early: what is told of it is of the part before."


def left_out_note(name: str, number: int) -> str:
    return f"{begun(name)} did {count(number, 'collective')} more than its report has room for."


def no_estimate_note(error: float | None) -> str:
    """Why nothing is said of a step without the late rank."""
    unknown = "What a step would take without the late rank is not known"
    if error is None:
        return f"{unknown}: the ranks' collectives can't be replayed."
    return f"{unknown}: a replay of the window is {share(error)} off what was recorded."


def reading_sentence(done: int, total: int) -> str:
    return f"{done:,} of {count(total, 'rank')} read."
