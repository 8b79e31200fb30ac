"""One line about a window, for who trains where it was recorded."""

from __future__ import annotations

from tbprof.model import Report

_GPU_UNSEEN = ("gpu_not_recorded", "gpu_work_lost")


def window_line(report: Report, *sentences: str) -> str:
    """`window 3: ` and the sentences that open its screen, without the last full stop.

    It begins with `empty window` where the GPU that is there is not in it.
    """
    window = "window" if report.facts is None else f"window {report.facts.window}"
    if report.idle is None and any(fact.code in _GPU_UNSEEN for fact in report.trace.health):
        return f"empty {window}: no GPU work was recorded, though torch sees the GPU: tbprof doctor says why"
    said = " ".join(sentence for sentence in sentences if sentence)
    return f"{window}: {said.rstrip('.') or 'nothing is to be said of it'}"
