"""The sentence that opens a screen, and the names of what is waited for."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.model import Numbers, Site, Verdict
from tbprof.texts.quantities import count, duration, share

__all__ = ["site_name", "verdict_sentences"]

_DIRECTIONS = {
    "HtoD": "copy to the GPU",
    "DtoH": "copy to the host",
    "DtoD": "copy on the GPU",
    "PtoP": "copy between GPUs",
    "": "copy, direction not recorded",
}

_FAR_BELOW = 0.1
"""A floor under this part of its estimate is said beside it: one figure would hide the doubt."""


def verdict_sentences(verdict: Verdict) -> tuple[str, str]:
    """The verdict, and a second sentence ("" if there is nothing to add).

    A verdict of another version, with another case or other numbers, gives two empty ones.
    """
    if verdict.case == "no_device":
        return "No GPU work was recorded.", "What waits for a GPU can't be seen in this window."
    try:
        sentences = _SENTENCES.get(verdict.case)
        return ("", "") if sentences is None else sentences(verdict.numbers)
    except (KeyError, ValueError, ZeroDivisionError):
        return "", ""


def _input(numbers: Numbers) -> tuple[str, str]:
    idle = share(float(numbers["cause_share"]))
    return f"The GPU is idle {idle} of every step because the next batch is not ready.", _blame(numbers)


def _host(numbers: Numbers) -> tuple[str, str]:
    idle = share(float(numbers["cause_share"]))
    return f"The GPU is idle {idle} of every step because the host launches its work late.", _blame(numbers)


def _queued(numbers: Numbers) -> tuple[str, str]:
    return (
        f"The GPU is idle {share(float(numbers['cause_share']))} of every step with work queued.",
        "No line of yours is to blame; another process, another rank or unrecorded work is.",
    )


def _blame(numbers: Numbers) -> str:
    """What the waits have to do with idle that has another cause."""
    if int(numbers["points"]) == 0:
        return "Nothing makes the host wait for the GPU."
    step_us = float(numbers["steps_us"]) / int(numbers["steps"])
    most_us = float(numbers["ceiling_us"]) / int(numbers["steps"])
    bound = f"at most {duration(most_us)} of {duration(step_us)}."
    if float(numbers["ceiling_us"]) < float(numbers["cause_share"]) * float(numbers["steps_us"]):
        return f"The sync points are not to blame: {bound}"
    return f"The sync points before it may let the GPU run dry: {bound}"


def _no_waits(numbers: Numbers) -> tuple[str, str]:
    idle = share(float(numbers["idle_share"]))
    return (
        "Nothing makes the host wait for the GPU.",
        f"The GPU is idle {idle} of the steps, and not because of waits.",
    )


def _gpu_bound(numbers: Numbers) -> tuple[str, str]:
    dry = share(float(numbers["empty_share"]))
    steps, ceiling = duration(float(numbers["steps_us"])), duration(float(numbers["ceiling_us"]))
    return (
        f"The GPU ran dry {dry} of the time: at most {ceiling} of {steps} can be won by removing waits.",
        f"{_waits(numbers)}, while the GPU has work.",
    )


def _bracket(numbers: Numbers) -> tuple[str, str]:
    idle = share(float(numbers["idle_share"]))
    detail = f"{_waits(numbers)}; that alone is no loss."
    steps, ceiling = duration(float(numbers["steps_us"])), duration(float(numbers["ceiling_us"]))
    if "estimate_us" not in numbers or float(numbers["estimate_us"]) == 0:
        won = f"removing waits can win at most {ceiling} of {steps}"
        return f"The GPU is idle {idle} of the steps; {won}.", detail
    return f"The GPU is idle {idle} of every step; {_won(numbers)}.", detail


def _won(numbers: Numbers) -> str:
    """About how long a step is after the fixes, or a range where the floor says much less."""
    steps = int(numbers["steps"])
    step_us, floor_us, estimate_us = (
        float(numbers[name]) / steps for name in ("steps_us", "floor_us", "estimate_us")
    )
    if floor_us < _FAR_BELOW * estimate_us:
        least, most = duration(floor_us), duration(estimate_us)
        return f"without waits that can go, a step of {duration(step_us)} gets shorter by {least} to {most}"
    about = duration(step_us - estimate_us)
    return f"without waits that can go, a step takes about {about} instead of {duration(step_us)}"


def _waits(numbers: Numbers) -> str:
    wait = duration(float(numbers["wait_us"]))
    return f"The host waits {wait} at {count(int(numbers['points']), 'sync point')}"


_SENTENCES: dict[str, Callable[[Numbers], tuple[str, str]]] = {
    "input": _input,
    "host": _host,
    "queued": _queued,
    "no_waits": _no_waits,
    "gpu_bound": _gpu_bound,
    "bracket": _bracket,
}


def site_name(site: Site) -> str:
    """What a site does, in words."""
    if not any("emcpy" in call for call in site.calls):
        call = site.calls[0].lower() if site.calls else ""
        of = "device" if "device" in call or "ctx" in call else "event" if "event" in call else "stream"
        return f"synchronise the {of}"
    memory = f", {site.memory} memory" if site.memory else ""
    return f"{_DIRECTIONS.get(site.direction, 'copy ' + site.direction)}{memory}"
