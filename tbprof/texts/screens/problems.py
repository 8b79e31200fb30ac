"""What a window that can't be shown is called, and what to do about it."""

from __future__ import annotations

from tbprof.errors import ReadingTookTooLong, ReportTooNew, TbprofError

__all__ = ["problem_of"]


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
