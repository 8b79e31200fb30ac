"""Why a rank is late, what to do about it, and what a step would take without that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tbprof.texts.figures.quantities import count, duration
from tbprof.texts.job.rank_names import begun, late_name
from tbprof.texts.screens.idle import cause_name

_Kind = Literal["computing", "idle", "copying", "communication"]

_CAUSES = {
    "python": "Python code",
    "jitter": "Nobody by more than noise",
    "unexplained": "Late before the window began",
    "outside": "Between the steps",
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
    """Of time of which no collective tells what it held."""
    return "After the last collective"


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


def late_cause_sentence(
    name: str, also_late: Sequence[str], steps: int, of_steps: int, late_us: float, phrase: str
) -> str:
    who = f"{begun(late_name(name, also_late))} {'are' if also_late else 'is'}"
    return (
        f"{who} the late {'ones' if also_late else 'one'} in {steps} of {count(of_steps, 'step')}, by "
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


def saved_sentence(without_us: float, step_us: float) -> str:
    without, now = duration(without_us), duration(step_us)
    if without == now:
        return f"Without it a step of the job still takes {now}."
    return f"Without it a step of the job takes {without} instead of {now}."
