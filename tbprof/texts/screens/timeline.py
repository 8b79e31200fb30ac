"""What the timeline says of one episode and of one gap."""

from __future__ import annotations

from tbprof.texts.figures.quantities import duration
from tbprof.texts.screens.idle import cause_name, host_place_name

__all__ = ["episode_sentence", "gap_sentence"]

_ALMOST_ALL = 0.995
"""From here on a share reads as a whole."""


def episode_sentence(wait_us: float, explained_us: float, starve_us: float, *, is_blocking: bool) -> str:
    """What it cost: how long the host waited, what the GPU did meanwhile, and what it did after."""
    if not is_blocking:
        return f"The copy did not hold up the host: its call returned after {duration(wait_us)}."
    return (
        f"The host waited {duration(wait_us)}. {_meanwhile(wait_us, explained_us)} {_afterwards(starve_us)}"
    )


def gap_sentence(cause: str, idle_us: float, place: str) -> str:
    """Why the GPU did nothing, and what the host was in."""
    inside = f" The host was in `{host_place_name(place)}`." if place else ""
    return f"The GPU did nothing for {duration(idle_us)}. Most of it: {cause_name(cause).lower()}.{inside}"


def _meanwhile(wait_us: float, explained_us: float) -> str:
    if explained_us == 0:
        return "Nothing that was recorded ran on the GPU meanwhile."
    if explained_us >= _ALMOST_ALL * wait_us:
        return "All that time the GPU was working: not lost."
    return f"All but {duration(wait_us - explained_us)} of that the GPU was working: not lost."


def _afterwards(starve_us: float) -> str:
    if starve_us == 0:
        return "It did not run dry afterwards."
    return f"Then the queue was empty, and the GPU had nothing to do for {duration(starve_us)}."
