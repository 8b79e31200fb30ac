"""What the timeline says of one episode and of one gap."""

from __future__ import annotations

from tbprof.texts.figures.quantities import duration
from tbprof.texts.idle import cause_name, host_place_name

_ALMOST_ALL = 0.995
"""The share from which it reads as a whole."""

_FEW = 0.5
_MOST_OF_IT = 0.5
"""Up to here it is plainer to say what was covered than what was not."""

_HOSTS_OWN = ("sync", "launch")
"""Causes of which the host is the one that is late, whatever it does."""


def carried_sentence(step: str, steps: int, *, bucket_us: float) -> str:
    """A sentence: the step of a window's `steps` that a page carries, why, and what is drawn as itself."""
    if steps == 1:
        which = "This page carries the whole window"
    else:
        which = f"This page carries {step} alone of {steps} steps, the steady one of median length"
    together = "" if bucket_us < 1 else f"; what lasts less than {duration(bucket_us)} is drawn together"
    return f"{which}{together}."


def episode_sentence(
    wait_us: float, explained_us: float, starve_us: float, *, is_blocking: bool, communicating_us: float = 0.0
) -> str:
    """What it cost: how long the host waited, what the GPU did meanwhile, and what it did after."""
    if not is_blocking:
        return f"The copy did not hold up the host: its call returned after {duration(wait_us)}."
    meanwhile = meanwhile_sentence(wait_us, explained_us, communicating_us)
    return f"The host waited {duration(wait_us)}. {meanwhile} {_afterwards(starve_us)}"


def gap_sentence(cause: str, idle_us: float, place: str) -> str:
    """Why the GPU did nothing, and what the host was in."""
    if not place and cause in _HOSTS_OWN:
        own = "the queue was empty while the host did its own work (no torch op recorded)"
        return f"The GPU did nothing for {duration(idle_us)}: {own}."
    inside = f" The host was in `{host_place_name(place)}`." if place else ""
    return f"The GPU did nothing for {duration(idle_us)}. Most of it: {cause_name(cause).lower()}.{inside}"


def gap_place(cause: str, place: str) -> str:
    """What the host was in during a gap, in a table."""
    return (
        host_place_name(place) if place or cause not in _HOSTS_OWN else "its own work, no torch op recorded"
    )


def meanwhile_sentence(wait_us: float, explained_us: float, communicating_us: float = 0.0) -> str:
    """What the GPU did while the host waited; for `communicating_us` it communicated and computed nothing."""
    if explained_us == 0:
        return "Nothing that was recorded ran on the GPU meanwhile."
    if communicating_us >= _MOST_OF_IT * explained_us:
        for_long = f"For {duration(communicating_us)} of that the GPU communicated and computed nothing"
        return f"{for_long}: how long that takes another rank decides."
    if explained_us >= _ALMOST_ALL * wait_us:
        return "All that time the GPU was working: not lost."
    if explained_us < _FEW * wait_us:
        return f"The GPU was working for {duration(explained_us)} of that."
    return f"All but {duration(wait_us - explained_us)} of that the GPU was working: not lost."


def _afterwards(starve_us: float) -> str:
    if starve_us == 0:
        return "It did not run dry afterwards."
    return f"Then the queue was empty, and the GPU had nothing to do for {duration(starve_us)}."
