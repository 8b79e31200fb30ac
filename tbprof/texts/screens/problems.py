"""What a window that can't be shown is called, and what to do about it."""

from __future__ import annotations

__all__ = ["problem_of"]


def problem_of(file_name: str, *, is_too_new: bool) -> tuple[str, str]:
    """Title and advice; the sentence between them is the error's own."""
    if is_too_new:
        return f"{file_name} is newer than this viewer", "Upgrade tbprof where TensorBoard runs."
    return (
        f"{file_name} can't be shown",
        "Other windows are not affected. Record the window again, or copy the file again if it was "
        "copied while it was written.",
    )
