"""What is said of a job: who its ranks wait for, why, and what a step would take without that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.screens.idle import cause_name

__all__ = [
    "alone_detail",
    "alone_sentence",
    "cause_phrase",
    "damaged_note",
    "even_sentence",
    "fix_title",
    "in_turn_sentence",
    "job_cause_name",
    "late_cause_sentence",
    "late_sentence",
    "left_out_note",
    "missing_note",
    "no_collectives_sentence",
    "no_estimate_note",
    "none_matched_sentence",
    "older_worker_note",
    "other_training_note",
    "problem_note",
    "rank_name",
    "reading_sentence",
    "same_rank_note",
    "saved_sentence",
    "unmatched_sentence",
    "waiting_sentence",
]

_Kind = Literal["computing", "idle", "copying", "communication"]

_MOST_NAMED = 6

_CAUSES = {
    "python": "Python code",
    "jitter": "Nobody by more than noise",
    "unexplained": "Late before the window began",
    "outside": "Between the steps",
}

_UNMATCHED = {
    "one_rank": "only one rank of the group is here",
    "not_on_all_ranks": "not all ranks of the group recorded them",
    "different_kinds": "ranks do different collectives in the same place, as in a job that is about to hang",
    "ambiguous": "the ranks' windows begin at different collectives, and nothing tells which belong together",
}

_NO_RECORD = {
    "nothing": "no collective was recorded in its steps",
    "damaged": "its trace ends early, and no collective was recorded in the steps before",
    "older": "an older version made its report, which does not say what ranks are compared by: delete the "
    "report, or publish its trace again",
}


def rank_name(rank: int | None, worker: str) -> str:
    return worker if rank is None else f"rank {rank}"


def _begun(name: str) -> str:
    """At the begin of a sentence; the name of a worker stays as it is."""
    return f"R{name[1:]}" if name.startswith("rank ") else name


def job_cause_name(kind: _Kind, cause: str, computing: str | None) -> str:
    """In a few words."""
    if kind == "computing":
        return {"more": "Computes more", "slower": "Computes the same, slower"}.get(
            computing or "", "Computing"
        )
    if kind == "idle":
        return _CAUSES.get(cause) or cause_name(cause)
    return {"copying": "Copying", "communication": "Waiting in another group"}[kind]


def cause_phrase(kind: _Kind, cause: str, computing: str | None, place: str, module: str) -> str:
    """What made a rank late, as the end of a sentence.

    Args:
        kind: Of the part of its time.
        cause: Of idle.
        computing: Whether it computes more, or the same slower.
        place: The line, the code, the op or the other group; "" for none.
        module: Of computing.
    """
    where = f" in {module}" if module else ""
    if kind == "computing":
        op = f": {place}{where}" if place else ""
        return {
            "more": f"computing more than the others{op}",
            "slower": f"computing the same as the others, slower{op}",
        }.get(computing or "", f"computing longer than the others{op}")
    if kind == "copying":
        return "copying"
    if kind == "communication":
        return f"waiting in group {place}" if place else "waiting in another group"
    at = f" in {place}" if place else ""
    return {
        "sync": f"idle after {place or 'a sync'}",
        "data": f"waiting for data{at}",
        "launch": f"a host too slow to launch{at}",
        "python": f"Python code{at}",
        "queued": "idle with work queued",
        "unexplained": "from before the window began",
        "unrecorded": f"waiting for something unrecorded{at}",
    }.get(cause, f"{(_CAUSES.get(cause) or cause_name(cause)).lower()}{at}")


def late_sentence(
    ranks: int, waiting_share: float | None, name: str, late_us: float, due_us: float, phrase: str
) -> str:
    """The verdict where one rank is late."""
    waits = "the others wait" if ranks > 2 else "the other one waits"
    if waiting_share is not None:
        waits = f"{waits} {share(waiting_share)} of a step"
    why = f"{duration(due_us)} of it: {phrase}" if duration(due_us) != duration(late_us) else phrase
    return f"{count(ranks, 'rank')}: {waits} for {name}, which is late by {duration(late_us)} a step, {why}."


def in_turn_sentence(ranks: int, waiting_share: float, most: str, most_share: float) -> str:
    """The verdict where ranks are late in turn."""
    return (
        f"{count(ranks, 'rank')} are late in turn: {share(waiting_share)} of a step is waiting for whoever "
        f"comes last. {share(most_share)} of the lateness: {most}."
    )


def even_sentence(ranks: int) -> str:
    return f"{count(ranks, 'rank')} arrive together: no rank is late by more than noise."


def alone_sentence(name: str) -> str:
    return f"Only {name} is here: who waits for whom is told by several ranks of a run."


def alone_detail() -> str:
    how = "with the hook in each process, or by copying the traces of all ranks into one folder"
    return f"Let every rank record into the same run: {how} below the log directory."


def no_collectives_sentence(ranks: int) -> str:
    return (
        f"{count(ranks, 'rank')} recorded, fewer than two of them with collectives: nobody waits for another."
    )


def none_matched_sentence(ranks: int) -> str:
    return f"{count(ranks, 'rank')} recorded, and no collective of one could be matched with those of others."


def waiting_sentence(waiting_share: float, matched: int) -> str:
    return (
        f"{share(waiting_share)} of the time in {count(matched, 'matched collective')} is waiting for the "
        "last rank to arrive, the rest transfer."
    )


def saved_sentence(without_us: float, step_us: float) -> str:
    without, now = duration(without_us), duration(step_us)
    if without == now:
        return f"Without it a step of the job still takes {now}."
    return f"Without it a step of the job takes {without} instead of {now}."


def late_cause_sentence(name: str, steps: int, of_steps: int, late_us: float, phrase: str) -> str:
    return (
        f"{_begun(name)} is the late one in {steps} of {count(of_steps, 'step')}, by "
        f"{duration(late_us)} a step: {phrase}."
    )


def fix_title(kind: _Kind, cause: str, computing: str | None, name: str, place: str) -> str:
    """An order that can be followed."""
    at = f" in {place}" if place else ""
    if kind == "computing":
        return {
            "more": f"Give {name} as much work as the others",
            "slower": f"Check the device of {name}: the same work takes it longer",
        }.get(computing or "", f"Find out why {name} computes longer: record shapes")
    if kind == "copying":
        return f"Copy less on {name}, or beside computing"
    if kind == "communication":
        return f"Find out what {name} waits for{at}"
    return {
        "sync": f"Take the wait of {name} at {place} out of its step"
        if place
        else f"Take a wait of {name} out of its step",
        "data": f"Make the data loader of {name} faster",
        "python": f"Shorten what {name} does{at}",
        "launch": f"Shorten what the host of {name} does{at}",
        "unexplained": f"Record more steps: {name} was late before the first of these began",
    }.get(cause, f"Remove from {name}: {(_CAUSES.get(cause) or cause_name(cause)).lower()}{at}")


def missing_note(missing: Sequence[int]) -> str:
    shown = ", ".join(str(rank) for rank in missing[:_MOST_NAMED])
    more = f" and {len(missing) - _MOST_NAMED:,} more" if len(missing) > _MOST_NAMED else ""
    noun = "Rank" if len(missing) == 1 else "Ranks"
    return f"{noun} {shown}{more} recorded no window: the figures are those of the others."


def problem_note(name: str, why: str) -> str:
    """`why` is a sentence, or the reason for which a report says nothing of collectives."""
    return f"{_begun(name)} is left out: {_NO_RECORD.get(why, why).removesuffix('.')}."


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
    return f"{_begun(name)} did {count(number, 'collective')} more than its report has room for."


def no_estimate_note(error: float | None) -> str:
    """Why nothing is said of a step without the late rank."""
    unknown = "What a step would take without the late rank is not known"
    if error is None:
        return f"{unknown}: the ranks' collectives can't be replayed."
    return f"{unknown}: a replay of the window is {share(error)} off what was recorded."


def reading_sentence(done: int, total: int) -> str:
    return f"{done:,} of {count(total, 'rank')} read."
