"""What a table is a table of."""

from __future__ import annotations

from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.figures.scopes import scope_of

__all__ = ["collectives_sentence", "comparison_sentence", "kernels_sentence", "operators_sentence"]


def operators_sentence(
    by: str, *, device_us: float | None, without_operator_us: float | None, in_steps: bool, steps: int
) -> str:
    """Times in us; None where the trace has no device."""
    start = f"Operators {_scope(in_steps=in_steps, steps=steps)}, by {by}"
    if device_us is None:
        return f"{start}: no device is recorded."
    told = f"{start}: {duration(device_us)} on the device"
    if without_operator_us:
        told += f", {share(without_operator_us / device_us)} of it launched by no operator"
    return f"{told}."


def kernels_sentence(*, calls: int, total_us: float, short_calls: int, in_steps: bool, steps: int) -> str:
    """`short_calls` of them are shorter than 10 us."""
    start = f"Kernels {_scope(in_steps=in_steps, steps=steps)}"
    if not calls:
        return f"{start}: none is recorded."
    shorter = share(short_calls / calls)
    return f"{start}: {count(calls, 'kernel')} in {duration(total_us)}, {shorter} of them shorter than 10 µs."


def comparison_sentence(before_us: float, after_us: float, *, a_step: bool) -> str:
    """Device time of both windows, in us."""
    each = scope_of(marks_steps=a_step).each
    return f"On the device: {duration(before_us)} {each} before, {duration(after_us)} after."


def collectives_sentence(calls: int, exposed_us: float | None) -> str:
    """`exposed_us` of them are in the steps with no computing beside; None where no device is known."""
    if not calls:
        return "Collectives: none is recorded."
    told = f"{count(calls, 'collective')} of the whole trace"
    if exposed_us is None:
        return f"{told}."
    return f"{told}; within the steps {duration(exposed_us)} with no computing beside them."


def _scope(*, in_steps: bool, steps: int) -> str:
    if in_steps and steps:
        return f"of {count(steps, 'step')}"
    return f"of the whole trace with {count(steps, 'step')}" if steps else "of the whole trace"
