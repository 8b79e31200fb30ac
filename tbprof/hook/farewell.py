"""What the hook says when a run is over."""

from __future__ import annotations

import logging

from tbprof.hook.session import Session, SessionPlan

__all__ = ["log_farewell"]

logger = logging.getLogger("tbprof")


def log_farewell(plan: SessionPlan, session: Session | None, steps_taken: int) -> None:
    """Log where the results are and how to open them, or why there are none."""
    if session is None or session.recorded == 0:
        logger.warning("No window was recorded: %s", _why_no_window(plan, session, steps_taken))
        return
    publisher = session.publisher
    logger.info(
        "%d of %d recorded windows published in %s; open them with: tensorboard --logdir %s",
        publisher.published,
        session.recorded,
        plan.logdir,
        plan.logdir,
    )
    if publisher.running:
        names = ", ".join(trace.name for trace in publisher.running)
        logger.info("Still being published, in a process of its own: %s", names)


def _why_no_window(plan: SessionPlan, session: Session | None, steps_taken: int) -> str:
    if session is not None and session.lost > 0:
        return "its file could not be written (see above)."
    if steps_taken >= plan.schedule.steps_needed:
        return "another profiler was at work each time that a window was due."
    return (
        f"{steps_taken} steps were taken; the schedule needed {plan.schedule.steps_needed}:"
        " lower skip_first or active."
    )
