"""What changed between two windows."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.computing import PART_NAMES
from tbprof.texts.figures.quantities import count, duration, first_few, share
from tbprof.texts.idle import cause_name

_MOST_NAMES = 6

_MINUS = "\u2212"

RECORDINGS_DIFFER = 0.04
"""Recordings of a single step of one program differ by so much: by 0.6 to 3.7 % on an A100."""

_GONE = 0.05
"""Up to this share of what it took before a cause is gone."""

COMMUNICATION = "communication"
"""Beside the causes of idle: communication that no computing covers."""

_NO_LONGER = {
    "data": "The GPU no longer waits for data",
    "sync": "The GPU no longer runs dry after sync points",
    "launch": "The host is no longer late to launch",
    COMMUNICATION: "The GPU no longer waits for communication",
}

_FIGURES = {
    "step": ("Step, mean", "what a change gives"),
    "waits": ("Host waits", "says little: a wait can move or hide"),
    COMMUNICATION: ("Communication nothing covers", "waiting for other ranks is in it"),
    "idle": ("GPU idle", "what a change can save"),
    "sync_points": ("Sync points", ""),
    "kernels": ("Kernels", ""),
    "launches": ("Launches", ""),
    "utilization": ("GPU utilization", "waiting for other ranks counts as use"),
    "sm_efficiency": ("Estimated SM efficiency", ""),
    "occupancy": ("Estimated occupancy", ""),
}


def may_be_noise(before_us: float, after_us: float) -> bool:
    """Whether two recordings of a single step differ by no more than those of one program do."""
    return abs(after_us - before_us) <= RECORDINGS_DIFFER * before_us


def comparison_sentence(
    before_us: float, after_us: float, *, is_told: bool | None, is_unprofiled: bool
) -> str:
    """The verdict.

    Args:
        before_us: Length of a step before.
        after_us: The same after.
        is_told: Whether the difference stands out of the noise between steps; None where there
            are too few steps to know the noise.
        is_unprofiled: Whether the steps were timed without the profiler.
    """
    lengths = f"{duration(before_us)} before, {duration(after_us)} after"
    if is_unprofiled:
        lengths += ", without the profiler"
    changed = _changed(before_us, after_us)
    if is_told is None:
        is_noise = may_be_noise(before_us, after_us)
        means = "no more than two recordings of one program differ by" if is_noise else changed
        return f"With a single steady step the noise is unknown: {lengths}, {means}."
    if not is_told:
        return f"No difference in step time beyond the noise: {lengths}."
    return f"A step is {changed}: {lengths}."


_FOLD = 3
"""The factor from which on a step is so many times as long, and no longer so many per cent longer."""


def _changed(before_us: float, after_us: float) -> str:
    if before_us <= 0:
        return "longer"
    if after_us >= _FOLD * before_us:
        return f"{after_us / before_us:,.0f} times as long"
    word = "longer" if after_us > before_us else "shorter"
    return f"{share(abs(after_us - before_us) / before_us)} {word}"


def cause_sentence(cause: str, before_us: float, after_us: float) -> str:
    """What changed most of a mean step: a cause of idle, or `COMMUNICATION`."""
    lengths = f"{duration(before_us)} before, {duration(after_us)} after, a step"
    if after_us <= _GONE * before_us:
        return f"{_NO_LONGER.get(cause, f'{cause_name(cause)} is gone')}: {lengths}."
    if cause == COMMUNICATION:
        return f"The GPU waits {'longer' if after_us > before_us else 'less'} for communication: {lengths}."
    grew = "grew" if after_us > before_us else "shrank"
    return f"Of the GPU's idle \u201c{cause_name(cause)}\u201d {grew} most: {lengths}."


def computing_change_sentence(change_us: float, kind: str, before_us: float, after_us: float) -> str:
    """How much longer or shorter the device computes a step, and the part that changed most."""
    part = f"{duration(before_us)} before, {duration(after_us)} after"
    word = "longer" if change_us > 0 else "shorter"
    return f"The GPU computes {duration(abs(change_us))} {word}, {PART_NAMES.get(kind, kind)} most: {part}."


def loops_gone_sentence(turns: float, host_us: float) -> str:
    """A loop over items that only the earlier window has."""
    return f"A loop over items is gone: {turns:,.0f} turns, which held the host for {duration(host_us)}."


_MOST_FIXES = 3


def fixes_sentence(
    names: Sequence[str], predicted_us: tuple[float, float], measured_us: float, noise_us: float
) -> str:
    """What the fixes of findings that are gone save of a step: as predicted, and without the profiler."""
    verb = "is" if len(names) == 1 else "are"
    floor, ceiling = map(duration, predicted_us)
    predicted = f"the plan said {floor} to {ceiling} a step"
    changed = f"{duration(abs(measured_us))} {'less' if measured_us > 0 else 'more'}"
    is_noise = abs(measured_us) <= noise_us
    within = f"within the noise of {duration(noise_us)}" if is_noise else f"give or take {duration(noise_us)}"
    gone = f"{first_few(names, _MOST_FIXES)} {verb} gone"
    return f"{gone}: {predicted}, and without the profiler a step takes {changed}, {within}."


def difference_sentence(change_us: float, least_us: float | None) -> str:
    """`least_us` is what a change has to exceed; None where a single step does not tell its noise."""
    change = f"They differ by {duration(abs(change_us))}"
    if least_us is None:
        return f"{change}; a single step does not show how much of that is noise."
    judged = "the difference is real" if abs(change_us) > least_us else "this may be none"
    return f"{change}; up to {duration(least_us)} can be noise: {judged}."


def figure_words(code: str, planned_us: float | None) -> tuple[str, str]:
    """The name of a figure, and what its change says; `planned_us` is what the plan before said of a step."""
    name, means = _FIGURES[code]
    if code == "step" and planned_us is not None:
        means = f"{means}; the plan before said {_MINUS}{duration(planned_us)}"
    return name, means


def alike_sentence(names: Sequence[str]) -> str:
    """A sentence: these conditions are the same on both sides."""
    if not names:
        return ""
    return f"The same on both sides: {first_few(names, _MOST_NAMES)}."


def went_note(target: str) -> str:
    """At the site that a wait left."""
    return f"its wait is at {target} now"


def taken_note(source: str, taken_us: float) -> str:
    """At the site that a wait came to."""
    return f"takes over {duration(taken_us)} of the wait that {source} had"


def scope_of_side(side: str, scope: str) -> str:
    """Above a comparison, what the figures of one of its sides, `Before` or `After`, are of."""
    return f"{side}: {scope[0].lower()}{scope[1:]}"


def not_comparable(reason: str) -> tuple[str, str, str]:
    """Title, sentence and advice where rows of two windows have nothing in common."""
    said = f"{reason[0].upper()}{reason[1:]}."
    return "These rows can't be compared", said, "Compare with a window that was recorded alike."


def nothing_to_compare() -> str:
    """A sentence: one of two windows has no steps."""
    return "One of the two windows has no steps to compare."


def moved_wait_sentence(source: str, target: str, net_us: float) -> str:
    """A sentence: the host waits at `target` for what it awaited at `source`; `net_us` is what both changed
    by.
    """
    sign = "+" if net_us > 0 else _MINUS
    net = f"net {sign}{duration(abs(net_us))} of waits a step" if abs(net_us) >= 1 else "net 0"
    return f"The wait moved from {source} to {target}: {net}. Judge by the step, not by waits."


def recorded_steps_sentence(steps: int, median_us: float, distance_us: float | None) -> str:
    """The median of recorded steps and how far off it most are; None of a single one."""
    if distance_us is None:
        return f"{count(steps, 'step')} of {duration(median_us)}, its noise not known"
    return f"median {duration(median_us)} ± {duration(distance_us)} of {count(steps, 'step')}"


def unprofiled_steps_sentence(median_us: float, low_us: float, high_us: float) -> str:
    """The median, and the quartiles around it."""
    return f"median {duration(median_us)}, half of the steps within {duration(low_us)} to {duration(high_us)}"
