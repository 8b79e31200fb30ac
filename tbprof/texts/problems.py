"""What a window that can't be shown is called, and what to do about it."""

from __future__ import annotations

from tbprof.errors import ReadingTookTooLong, ReportTooNew, TbprofError
from tbprof.texts.figures.quantities import count

LEFT_OUT = (
    "This window is left out of this page",
    "`tbprof report --format html` on its file makes a page of it.",
)
"""Title and advice of a window that a page has no room for."""

HELD = "Windows in this page"

LEFT_OUT_JOB = "The comparison of all ranks of this window is left out of this page."


def problem_of(file_name: str, error: TbprofError) -> tuple[str, str]:
    """Title and advice; the sentence between them is the error's own."""
    if isinstance(error, ReportTooNew):
        return f"{file_name} is newer than this viewer", "Upgrade tbprof where TensorBoard runs."
    if isinstance(error, ReadingTookTooLong):
        return (
            f"{file_name} was not read in time",
            "The machine may have had too much else to do: it is tried again after ten minutes. "
            "`tbprof report` on the file has no limit of time.",
        )
    return (
        f"{file_name} can't be shown",
        "Other windows are not affected. Record the window again, or copy the file again if it was "
        "copied while it was written.",
    )


def held_sentence(held: int, total: int, which: str, of_trend: int, *, of: int) -> str:
    """How many of the windows that were read a page holds, and which.

    Args:
        held: Those in it.
        total: All.
        which: The first in words.
        of_trend: So many windows of a worker are in its trend, the newest ones.
        of: As many has the worker with most of them.
    """
    holds = f"This page holds {held:,} of {count(total, 'window')}, {which}"
    if of_trend == of:
        return f"{holds}; ranks and trends are compared over all windows of a run."
    trends = f"trends over a worker's last {of_trend:,}"
    return f"{holds}; ranks are compared over all windows of a run, {trends}."


def left_out_runs_sentence(runs: int) -> str:
    """A sentence after the one before: a page holds nothing of some runs; "" if it holds some of all."""
    return f" It holds none of {count(runs, 'more run')}." if runs else ""
