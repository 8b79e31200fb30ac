"""What happened in one episode of a site, in the sentences beside its picture."""

from __future__ import annotations

from tbprof.texts.figures.quantities import duration
from tbprof.texts.screens.timeline import meanwhile_sentence


def waited_sentence(wait_us: float, explained_us: float, communicating_us: float) -> str:
    """How long the host waited, and what the GPU did meanwhile."""
    return (
        f"The host waits {duration(wait_us)}. {meanwhile_sentence(wait_us, explained_us, communicating_us)}"
    )


def returned_sentence(call_us: float) -> str:
    """Of a copy that nobody waits for."""
    return f"The call returns after {duration(call_us)}: it does not hold up the host."


def still_busy_sentence() -> str:
    return "When the call returns, the GPU still has work: it does not run dry."


def dry_sentence(idle_us: float) -> str:
    """The stretch from the last work before the call's return to the first work after it."""
    return f"Nothing is queued any more: the GPU does nothing for {duration(idle_us)}. This is the cost."


def own_work_sentence(work_us: float) -> str:
    """The stretch from the call's return to the host's next launch."""
    return f"Meanwhile the host does other work for {duration(work_us)} before it launches again."
