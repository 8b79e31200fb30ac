"""What changed between two windows."""

from __future__ import annotations

from tbprof.texts.quantities import duration, share

__all__ = ["comparison_sentences"]


def comparison_sentences(
    before_us: float | None, after_us: float | None, *, is_told: bool, moved_to: str
) -> tuple[str, str]:
    """The verdict, and a second sentence.

    Args:
        before_us: Mean length of a steady step before.
        after_us: The same after.
        is_told: Whether the difference stands out of the noise between steps.
        moved_to: The site at which the host now waits for what it awaited elsewhere; "" if none.
    """
    detail = f"The wait moved to {moved_to}: judge by the step, not by waits." if moved_to else ""
    if before_us is None or after_us is None:
        return "One of the two windows has no steps to compare.", detail
    lengths = f"{duration(before_us)} before, {duration(after_us)} after"
    if not is_told:
        return f"No difference of the step that can be told from noise: {lengths}.", detail
    word = "longer" if after_us > before_us else "shorter"
    return f"A step is {share(abs(after_us - before_us) / before_us)} {word}: {lengths}.", detail
