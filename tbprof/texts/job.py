"""What is to be known of a job besides its verdict: who and what is not in it, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tbprof.texts.figures.quantities import count, duration, first_few, share
from tbprof.texts.idle import cause_name

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
    """The owner of windows of workers that have no number in the job."""
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
    """A sentence on a rank with which fewer collectives could be matched than without it."""
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


def unrelated_note(workers: Sequence[str]) -> str:
    """Recordings that lie in the folder of a job and are no ranks of it."""
    if len(workers) == 1:
        return f"{workers[0]} is an unrelated recording: by its world size or time it is no rank of this job."
    return f"Unrelated recordings, by world size or time no ranks of this job: {named(workers)}."


def unrelated_sentence(recordings: int) -> str:
    """The verdict on a folder of which no two recordings can be ranks of one job."""
    return f"{count(recordings, 'unrelated recording')}: no two of them can be ranks of one job."


def same_rank_note(worker: str, taken: str, name: str) -> str:
    return f"{worker} is left out: {taken} is {name}, too."


def damaged_note(name: str) -> str:
    return f"The trace of {name} ends early: its figures are of the part before."


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


_Kind = Literal["computing", "idle", "copying", "communication"]

_CAUSES = {
    "python": "Python code",
    "jitter": "Nobody by more than noise",
    "unexplained": "Late before the window began",
    "outside": "Between the steps",
    "transport": "What it exchanges takes longer",
}


def job_cause_name(kind: _Kind, cause: str, computing: str | None) -> str:
    """In a few words."""
    if kind == "computing":
        return {"more": "Computes more", "slower": "Computes the same, slower"}.get(
            computing or "", "Computing"
        )
    if kind == "idle":
        return _CAUSES.get(cause) or cause_name(cause)
    return {"copying": "Copying", "communication": "Waiting in another group"}[kind]


def after_last_name() -> str:
    """The name of time of which no collective shows what it held."""
    return "After the last collective"


def cause_phrase(
    kind: _Kind, cause: str, computing: str | None, place: str, module: str, inputs: float | None = None
) -> str:
    """What made a rank late, as the end of a sentence.

    Args:
        kind: Of the part of its time.
        cause: Of idle.
        computing: Whether it computes more, or the same slower.
        place: The line, the code, the op or the other group; "" for none.
        module: Of computing.
        inputs: How many times as large as the others' those of its ops are, where that is known.
    """
    where = f" in {module}" if module else ""
    if kind == "computing":
        op = f": {place}{where}" if place else ""
        return {
            "more": f"computing more than the others{_larger(inputs)}{op}",
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
        "launch": f"a host late to launch{at}",
        "python": f"Python code{at}",
        "queued": "idle with work queued",
        "unexplained": "from before the window began",
        "transport": "what it exchanged before took longer",
        "unrecorded": f"waiting for something unrecorded{at}",
    }.get(cause, f"{(_CAUSES.get(cause) or cause_name(cause)).lower()}{at}")


def _larger(inputs: float | None) -> str:
    """Kernels that are more, or of larger shapes, need no larger inputs in all."""
    return f", of inputs {inputs:.2f} times as large" if inputs is not None and inputs >= _CLEARLY else ""


_CLEARLY = 1.005
"""A ratio that is not written as 1.00."""


def balance_sentence(balanced_us: float, step_us: float, least_us: float, most_us: float) -> str:
    """What equal work gives, and how that is reached: equal numbers of tokens are not equal work."""
    return (
        f"With the work spread evenly, a step takes {duration(balanced_us)} instead of {duration(step_us)} "
        f"({duration(least_us)} to {duration(most_us)} less): bucket or pack batches by FLOPs, not by tokens."
    )


def with_near_cause(phrase: str, near: str) -> str:
    """The phrase of a late rank that has another cause, nearly as large."""
    return f"{phrase}, and also {near}"


_NEARLY_ALL = 0.9
"""The share of a lateness from which on its cause explains it."""


def _due(due_us: float, late_us: float) -> str:
    """What of a lateness its cause explains; "" where that is nearly all."""
    return f", {duration(due_us)} ({share(due_us / late_us)}) of it" if due_us < _NEARLY_ALL * late_us else ""


def late_cause_sentence(
    name: str,
    also_late: Sequence[str],
    steps: int,
    of_steps: int,
    late_us: float,
    due_us: float,
    phrase: str,
    *,
    is_first: bool = True,
) -> str:
    """What of it the cause explains is said where that is clearly less.

    Args:
        name: Of the rank.
        also_late: Those that come with it.
        steps: In how many it was late.
        of_steps: Of how many.
        late_us: By how much in a step.
        due_us: How much of that is due to the cause.
        phrase: The cause.
        is_first: Whether it was the latest one there.
    """
    who = f"{begun(late_name(name, also_late))} {'are' if also_late else 'is'}"
    late = f"the late {'ones' if also_late else 'one'}" if is_first else "late, too,"
    return (
        f"{who} {late} in {steps} of {count(of_steps, 'step')}, by {duration(late_us)} a step"
        f"{_due(due_us, late_us)}: {phrase}."
    )


def overview_sentence(also_late: Sequence[str], late_us: float, due_us: float, phrase: str) -> str:
    """What the window of a late rank says first; `also_late` come with it."""
    with_it = f" and {named(also_late)}" if also_late else ""
    are = "they are" if also_late else "it is"
    return (
        f"The other ranks wait for this one{with_it}: {are} late by {duration(late_us)} a step"
        f"{_due(due_us, late_us)}: {phrase}."
    )


def others_sentence(
    name: str, also_late: Sequence[str], late_us: float, wait_us: float, phrase: str, *, is_explained: bool
) -> str:
    """What the window of a rank that waits for a late one says first."""
    who = begun(late_name(name, also_late))
    waits = f", and this rank waits {duration(wait_us)} of a step for it" if wait_us > 0 else ""
    return (
        f"{who} {'are' if also_late else 'is'} late by {duration(late_us)} a step ({phrase}){waits}. "
        f"{'Change that' if is_explained else 'Record more steps'} first."
    )


def itself_late_sentence(late_us: float, phrase: str) -> str:
    """What follows on a rank that waits longer for another one than others do for it."""
    return f"Elsewhere the others wait {duration(late_us)} a step for this rank: {phrase}."


def also_late_sentence(names: Sequence[str], late_us: Sequence[float], phrases: Sequence[str]) -> str:
    """A sentence on the ranks that are late beside the latest one."""
    rows = zip(names, late_us, phrases, strict=True)
    return f"Late, too: {'; '.join(f'{name} by {duration(late)} ({why})' for name, late, why in rows)}."


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
        "garbage_collection": "Collect garbage at the same step on all ranks, and seldom",
        "python": f"Shorten what {name} does{at}",
        "launch": f"Shorten what the host of {name} does{at}",
        "queued": f"Find out what the GPU of {name} waits for while work is queued",
        "transport": f"Check the link of {name}: what it exchanges takes longer",
        "unexplained": f"Record more steps: {name} was late before the first of these began",
    }.get(cause, f"Remove from {name}: {(_CAUSES.get(cause) or cause_name(cause)).lower()}{at}")


def first_order(order: str) -> str:
    """The sentence with what is to be done on the late rank first."""
    return f"First: {order[0].lower()}{order[1:]}."


def saved_sentence(without_us: float, step_us: float) -> str:
    without, now = duration(without_us), duration(step_us)
    if without == now:
        return f"Without it a step of the job still takes {now}."
    return f"Without it a step of the job takes {without} instead of {now}."


_MOST_NAMED = 6
_MOST_TOGETHER = 4


def rank_name(rank: int | None, worker: str, *, is_damaged: bool = False) -> str:
    name = worker if rank is None else f"rank {rank}"
    return f"{name} (damaged)" if is_damaged else name


def unrecorded_name(ranks: int) -> str:
    """The name of ranks of which nothing shows the number."""
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


_EVEN = 0.02
"""The share of a step: less waiting is not worth a word."""


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
    of_it = f"{duration(due_us)} ({share(due_us / late_us)}) of it: "
    why = f"{of_it}{phrase}" if duration(due_us) != duration(late_us) else phrase
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
    return f"Only {name} is here: several ranks of a run show who waits for whom."


def alone_detail() -> str:
    how = "with the hook in each process, or by copying the traces of all ranks into one folder"
    return f"Let every rank record into the same run: {how} below the log directory."


def no_collectives_sentence(ranks: int) -> str:
    if ranks < 2:
        return "No collective was recorded: whether ranks wait for one another is not known."
    recorded = f"{count(ranks, 'rank')} recorded, fewer than two of them with collectives"
    return f"{recorded}: whether one waits for another is not known."


def none_matched_sentence(ranks: int) -> str:
    return f"{count(ranks, 'rank')} recorded, and no collective of one could be matched with those of others."


def cold_sentence(names: Sequence[str], ranks: int) -> str:
    """The verdict where most windows hold first calls: what is late in them once is no lateness of a step."""
    who = "All ranks" if len(names) == ranks else begun(named(names))
    return f"{who} began to record before the program was warm: record again with a longer `skip_first`."


def exchange_sentence(ranks: int, of: int, exchange_share: float, kind: str, waiting_share: float) -> str:
    """The verdict where the exchange itself takes most, and hardly any of it is waiting."""
    return (
        f"{_compared(ranks, of)}: the exchange itself takes {share(exchange_share)} of a step, above all "
        f"{kind}; no rank is late by much, {share(waiting_share)} of a step is waiting. "
        "Send less, or overlap it."
    )


def least_waiting_sentence(sentence: str, name: str, least_share: float, most_shares: Sequence[float]) -> str:
    """What no collective shows, the ranks' own steps do: who waits least is who the others wait for."""
    low, high = share(min(most_shares)), share(max(most_shares))
    others = low if low == high else f"{low} to {high}"
    return (
        f"{sentence} {begun(name)} spends {share(least_share)} of its step in communication, the others "
        f"{others}: they wait for it, most likely."
    )


def waiting_sentence(waiting_share: float, matched: int) -> str:
    return (
        f"{share(waiting_share)} of the time in {count(matched, 'matched collective')} is waiting for the "
        "last rank to arrive, the rest transfer."
    )
