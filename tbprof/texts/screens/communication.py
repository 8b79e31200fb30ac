"""What a window's communication is said to be."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import duration, share

_WORTH_A_WORD = 0.001


def communication_sentence(exposed_us: float | None, step_us: float, scope: str) -> str:
    """Which part of a step nothing covers; None where no device communicates."""
    if exposed_us is None:
        return "Only the hosts communicate: no collective ran on a GPU."
    if exposed_us < _WORTH_A_WORD * step_us:
        return "All communication of the GPU runs beside computing."
    part = share(exposed_us / max(step_us, 0.001))
    return f"{part} of {scope}, {duration(exposed_us)}, is communication that no computing covers."


def overlapped_sentence(overlapped_us: float, scope: str) -> str:
    """What runs beside computing; "" for nothing."""
    if overlapped_us <= 0:
        return ""
    return (
        f"Another {duration(overlapped_us)} of {scope} runs beside computing. Whether it slows that down "
        "only a measurement without it can tell."
    )


def not_recorded_sentence(columns: Sequence[str]) -> str:
    """Which columns have gaps; "" for none."""
    if not columns:
        return ""
    return (
        f"Not recorded for all of them: {', '.join(columns)}. Torch records groups and sizes of collectives "
        "since 2.3, and shapes where the profiler was asked for them."
    )
