"""The sentence that opens a screen, and the names of what is waited for."""

from __future__ import annotations

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


def verdict_sentences(verdict: Verdict) -> tuple[str, str]:
    """The verdict, and a second sentence ("" if there is nothing to add).

    A verdict of another version, with another case or other numbers, gives two empty ones.
    """
    if verdict.case == "no_device":
        return "No GPU work was recorded.", "What waits for a GPU can't be seen in this window."
    try:
        return _with_figures(verdict.case, verdict.numbers)
    except (KeyError, ValueError):
        return "", ""


def _with_figures(case: str, numbers: Numbers) -> tuple[str, str]:
    steps, ceiling = duration(float(numbers["steps_us"])), duration(float(numbers["ceiling_us"]))
    idle, wait = share(float(numbers["idle_share"])), duration(float(numbers["wait_us"]))
    points = count(int(numbers["points"]), "sync point")
    if case == "no_waits":
        return (
            "Nothing makes the host wait for the GPU.",
            f"The GPU is idle {idle} of the steps, and not because of waits.",
        )
    if case == "gpu_bound":
        dry = share(float(numbers["empty_share"]))
        return (
            f"The GPU ran dry {dry} of the time: at most {ceiling} of {steps} can be won by removing waits.",
            f"The host waits {wait} at {points}, while the GPU has work.",
        )
    if case != "bracket":
        return "", ""
    return (
        f"The GPU is idle {idle} of the steps; removing waits can win at most {ceiling} of {steps}.",
        f"The host waits {wait} at {points}; that alone is no loss.",
    )


def site_name(site: Site) -> str:
    """What a site does, in words."""
    if not any("emcpy" in call for call in site.calls):
        call = site.calls[0].lower() if site.calls else ""
        of = "device" if "device" in call or "ctx" in call else "event" if "event" in call else "stream"
        return f"synchronise the {of}"
    memory = f", {site.memory} memory" if site.memory else ""
    return f"{_DIRECTIONS.get(site.direction, 'copy ' + site.direction)}{memory}"
