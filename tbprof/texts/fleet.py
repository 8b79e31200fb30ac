"""Sentences about all runs of a log directory."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, mean

NONE_FOUND = "No run has all of these words"
NOT_READ = "not read yet: open the run"
NO_COMMIT = "not known: a commit was not recorded"
NO_RUN_BEFORE = "no run before it"

_HOURS_PER_DAY = 24
_LEAST_SHOWN = 0.05
_SECONDS_PER_MINUTE = 60
_SECONDS_PER_HOUR = 3600
_MINUTES_FROM_S = 120
_HOURS_FROM_S = 7200

_MOST_NAMED = 2


def unread_sentence(problems: Sequence[str]) -> str:
    """Why the first of some ranks gives nothing, and how many more there are; "" if all give something."""
    if not problems:
        return ""
    more = len(problems) - 1
    first = f"{problems[0].removesuffix('.')}."
    return f"{first} {count(more, 'more rank gives', 'more ranks give')} nothing." if more else first


def read_so_far_sentence(read: int, ranks: int) -> str:
    """How many of a run's ranks its figures are of; "" once that is all."""
    return f"{read} of {count(ranks, 'rank')} read so far." if read < ranks else ""


def on_rank(name: str, action: str) -> str:
    """What to do on one rank of several."""
    return f"On {name}: {action[:1].lower()}{action[1:]}"


def gpu_time(seconds: float) -> str:
    """`310 GPU-hours`; minutes below two hours, seconds below two minutes."""
    if seconds >= _HOURS_FROM_S:
        return f"{_figure(seconds / _SECONDS_PER_HOUR)} GPU-hours"
    if seconds >= _MINUTES_FROM_S:
        return f"{_figure(seconds / _SECONDS_PER_MINUTE)} GPU-minutes"
    return f"{_figure(seconds)} GPU-seconds"


def gpu_hours(hours: float) -> str:
    """One decimal below 10; what is less than that shows is no 0."""
    return "<0.1" if 0 < hours < _LEAST_SHOWN else _figure(hours)


def hours(seconds: float) -> str:
    """`3.4 h`, by the same steps."""
    if seconds >= _HOURS_FROM_S:
        return f"{_figure(seconds / _SECONDS_PER_HOUR)}\u202fh"
    if seconds >= _MINUTES_FROM_S:
        return f"{_figure(seconds / _SECONDS_PER_MINUTE)}\u202fmin"
    return f"{_figure(seconds)}\u202fs"


def fleet_sentences(
    runs: int,
    idle_gpu_h: float,
    gpus: int,
    half: Sequence[str],
    alarms: int,
    *,
    watched_gpu_s: float,
    to_record: int = 0,
) -> tuple[str, str]:
    """How much of their GPUs all runs together leave idle, and which lines cost half of what top lines cost.

    Args:
        runs: How many have figures.
        idle_gpu_h: The GPU-hours that are idle in a day at this rate.
        gpus: The number of GPUs that can be judged.
        half: The fewest top lines that make half of what all of them cost.
        alarms: Runs whose new commit added a wait.
        watched_gpu_s: The time that this was seen for, over all GPUs: how far to trust the rate.
        to_record: Runs that are to be recorded again before any change.
    """
    if not runs:
        return "No run has figures yet", "Rows fill as recordings are read, the newest first."
    whole = "it" if runs == 1 else "any of them"
    if watched_gpu_s <= 0:
        verdict = f"{count(runs, 'run')} recorded, and no work of a GPU is in {whole}"
    elif to_record == runs:
        verdict = f"{count(runs, 'run')} recorded, and nothing typical in {whole}"
    elif not half:
        verdict = f"Nothing worth a change in {count(runs, 'run')}"
    else:
        verdict = (
            f"{count(runs, 'run leaves', 'runs leave')} {mean(round(idle_gpu_h / _HOURS_PER_DAY, 1))} of "
            f"{count(gpus, 'GPU')} idle: {gpu_hours(idle_gpu_h)} GPU-hours a day at this rate"
        )
    parts = [f"Seen for {gpu_time(watched_gpu_s)}."] if watched_gpu_s > 0 else []
    named = ", ".join(half[:_MOST_NAMED])
    if named:
        parts.append(f"Half of what the top lines cost is behind {named}.")
    if to_record:
        parts.append(f"{count(to_record, 'run is', 'runs are')} to be recorded again first.")
    if alarms:
        parts.append(f"In {count(alarms, 'run')} a new commit added a wait.")
    return verdict, " ".join(parts)


def added_sentence(rule: str, place: str, more: int, commit: str) -> str:
    """A wait that a commit added: the first of them, and how many more there are."""
    where = f" at {place}" if place else ""
    also = f" and {count(more, 'more wait')}" if more else ""
    return f"{commit[:10]} added {rule}{where}{also}"


def _figure(value: float) -> str:
    """One decimal below 10."""
    return mean(value) if value < 10 else f"{round(value):,}"


def left_out_sentence(workers: int, kept: int) -> str:
    """A sentence: some workers of a run do not count; "" where all do."""
    left = workers - kept
    if not left:
        return ""
    are = "is" if left == 1 else "are"
    return f"{left} of {workers} workers {are} left out: others, as new or newer, are of the same rank."
