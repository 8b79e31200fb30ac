"""What is said beside lines of code."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.model import RecordedCall, Site, Source
from tbprof.texts.figures.quantities import count, duration, first_few
from tbprof.texts.idle import site_location
from tbprof.texts.predicted import kind_name

_MOST_LINES = 6


def code_origin(first_step: int | None, *, is_embedded: bool) -> str:
    """Where the code on the screen comes from, or why there is none."""
    if not is_embedded:
        return (
            "The code was not recorded with this window, and files on disk are not read. "
            "The trainer hook keeps it (embed_source, on by default)."
        )
    when = "it ran" if first_step is None else f"the steps from {first_step:,} on ran"
    return f"Text as it was when {when}. Files on disk are not read."


def wait_note(wait_us: float) -> str:
    """The note of a line with sites; `wait_us` is that of one step, 0 where none of them blocks."""
    return f"waits {duration(wait_us)} a step" if wait_us > 0 else "copies without waiting"


def candidate_note(candidates: Sequence[int]) -> str:
    """A note that a call is on one of these lines."""
    return f"one of {first_few(candidates, _MOST_LINES)}"


def doubt_note(source: Source) -> str:
    """A note on the lines that a call can be on; its `def` too, where only that is known. "" if the line is
    exact.
    """
    if source.exact:
        return ""
    known = "" if source.line is None else "line of its def; "
    if not source.candidates:
        return f"{known}the call's own line was not recorded"
    one_of = "" if len(source.candidates) == 1 else "one of "
    return f"{known}the call is on {one_of}{first_few(source.candidates, _MOST_LINES)}"


def called_note(site: Site, *, is_exact: bool) -> str:
    """The note of a line that leads to a site in another function."""
    where = site_location(site) if site.library is None else f"{site.library}, {site_location(site)}"
    return f"waits in {where}" if is_exact else f"something in this function waits in {where}"


def recorded_note(call: RecordedCall) -> str:
    """The note of a line that the hook saw, where the trace shows no wait for a GPU."""
    devices = f" ({' to '.join(call.devices)})" if call.devices else ""
    return f"{call.call}{devices}, seen {count(call.count, 'time')}"


def predicted_note(kind: str, action: str) -> str:
    """The note of a line of a run without a GPU.

    Args:
        kind: That of its prediction.
        action: What its rule says to do, in the imperative.
    """
    return f"would wait for a GPU: {kind_name(kind)}. {action}."
