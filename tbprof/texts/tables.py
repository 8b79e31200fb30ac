"""What a table is a table of."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.places import name_words, scope_of
from tbprof.texts.figures.quantities import count, duration, share

IDLE = "idle"
COPIES = "copies and memsets"
SIDE_BY_SIDE = "less what ran side by side, or outside"
OUTSIDE_OPERATORS = "outside of these"
NO_ROWS = frozenset((IDLE, COPIES, SIDE_BY_SIDE, OUTSIDE_OPERATORS))
"""What a step holds beside the rows of a comparison."""

_INSTEAD = {"record_param_comms": "communication (`record_param_comms`)"}
"""What an operator is that few know by the name that torch gives it."""
_LEAST_NAMED = 0.05
"""A row with less of the time is not named in the sentence."""


def operators_sentence(
    by: str, *, device_us: float | None, without_operator_us: float | None, in_steps: bool, steps: int
) -> str:
    """Times in us; None where the trace has no device."""
    start = f"Operators {_scope(in_steps=in_steps, steps=steps)}, by {by}"
    if device_us is None:
        return f"{start}: no device is recorded."
    sentence = f"{start}: {duration(device_us)} on the device"
    if without_operator_us:
        sentence += f", {share(without_operator_us / device_us)} of it launched by no operator"
    return f"{sentence}."


def kernels_sentence(*, calls: int, total_us: float, short_calls: int, in_steps: bool, steps: int) -> str:
    """`short_calls` of them are shorter than 10 us."""
    start = f"Kernels {_scope(in_steps=in_steps, steps=steps)}"
    if not calls:
        return f"{start}: none is recorded."
    shorter = share(short_calls / calls)
    return f"{start}: {count(calls, 'kernel')} in {duration(total_us)}, {shorter} of them shorter than 10 µs."


def modules_sentence(
    *, total_us: float, outside_us: float, has_device: bool, in_steps: bool, steps: int
) -> str:
    """Times of the device, of the host without one; `outside_us` are in no part of the program."""
    start = f"Modules {_scope(in_steps=in_steps, steps=steps)}"
    sentence = f"{start}: {duration(total_us)} on the {'device' if has_device else 'host'}"
    return (
        f"{sentence}, {share(outside_us / total_us)} of it outside modules." if total_us else f"{sentence}."
    )


def comparison_sentence(
    what: str,
    rows_us: Sequence[float],
    steps_us: Sequence[float] | None,
    *,
    a_step: bool,
    on_device: bool,
) -> str:
    """The sentence that compares both windows, in us.

    Args:
        what: The rows, `operators`.
        rows_us: All of them together.
        steps_us: The steps, or windows; None where they can't be compared.
        a_step: Whether steps are compared.
        on_device: Whether the rows are work of the device.
    """
    where = (
        f"in {what} on the host" if not on_device else "in kernels" if what == "kernels" else "on the device"
    )
    scope = scope_of(marks_steps=a_step)
    in_rows = [duration(one) for one in rows_us]
    if steps_us is None:
        return f"{where[0].upper()}{where[1:]}: {in_rows[0]} {scope.each} before, {in_rows[1]} after."
    before, after = (duration(one) for one in steps_us)
    # Cold steps are among those whose rows are counted; elsewhere they are not.
    whole = f"{'The mean of all steps is' if a_step else 'The window takes'} {before} before, {after} after"
    return f"{whole}; {where} {in_rows[0]} and {in_rows[1]}."


def collectives_sentence(calls: int, exposed_us: float | None, *, is_cut_off: bool = False) -> str:
    """`exposed_us` of them are in the steps with no computing beside; None where no device is known."""
    if not calls:
        why = "the file is cut off, and does not tell them" if is_cut_off else "none is recorded"
        return f"Collectives: {why}."
    sentence = f"{count(calls, 'collective')} of the whole trace"
    if exposed_us is None:
        return f"{sentence}."
    return f"{sentence}; within the steps {duration(exposed_us)} with no computing beside them."


def _scope(*, in_steps: bool, steps: int) -> str:
    if in_steps and steps:
        return f"of {count(steps, 'step')}"
    return f"of the whole trace with {count(steps, 'step')}" if steps else "of the whole trace"


def comparison_headline(
    what: str,
    largest: Sequence[tuple[str, float]],
    idle_us: float | None,
    *,
    a_step: bool,
    on_device: bool,
) -> str:
    """What changed most.

    Args:
        what: Of one row, `operator`.
        largest: Names with what they add to the difference, in us; what adds nothing is left out.
        idle_us: What the device is idle longer; None where that is not worth telling.
        a_step: Whether it is that of a step.
        on_device: Whether it is time of the device; else of the host.
    """
    each = scope_of(marks_steps=a_step).each
    idle = "" if idle_us is None else f" The device is idle for {_difference(idle_us, each)}."
    if not largest:
        return f"No {what} takes longer or shorter than before.{idle}"
    sentence = [f"`{name_words(name)}` takes {_difference(us, each)}" for name, us in largest]
    return f"{_listed(sentence)}{'' if on_device else ', on the host'}.{idle}"


def _difference(us: float, each: str) -> str:
    return f"{duration(abs(us))} {each} {'more' if us > 0 else 'less'}"


def operators_headline(by: str, largest: Sequence[tuple[str, float]], *, has_device: bool) -> str:
    """What most of the time goes to.

    Args:
        by: What the rows are grouped by.
        largest: Names of the first rows with their shares; "" for what has no name.
        has_device: Whether it is the device's time, else the host's.
    """
    whose = "the GPU's time" if has_device else "the host's time in operators"
    named = [(name or f"no {by}", part) for name, part in largest if part >= _LEAST_NAMED]
    if not named:
        return "No operator was recorded" if not largest else f"No {_one_row(by)} takes much of {whose}."
    names = _listed([_INSTEAD.get(name, f"`{name_words(name)}`") for name, _ in named])
    names = names[0].upper() + names[1:]
    takes = "takes" if len(named) == 1 else "take"
    return f"{names} {takes} {share(sum(part for _, part in named))} of {whose}."


def kernels_headline(*, calls: int, total_us: float, short_calls: int, short_us: float) -> str:
    """How many are so short that launching them costs more: shorter than 10 us."""
    if not calls:
        return "No kernel was recorded"
    if not short_calls:
        return f"None of {count(calls, 'kernel')} runs under 10 µs."
    taken = share(short_us / total_us) if total_us else share(0)
    run = "runs" if short_calls == 1 else "run"
    part = share(short_calls / calls)
    few = f"{short_calls:,} of {count(calls, 'kernel')} {run} under 10 µs"
    return f"{few}: {part} of the launches, {taken} of the time."


def _one_row(by: str) -> str:
    return by if by in ("module", "label", "step") else "operator"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


OF_SHAPES = "of its tensors"
OF_SOURCE = "the innermost function of your own, with the line of its `def`"
OF_SHARE = "of the GPU's time; of the host's where no GPU is recorded"
OF_SUM = "share of this row and all larger ones"
OF_LAUNCHES = "calls of its own that gave the GPU work"
OF_IDLE = "idle of the busiest GPU in the steps while the host was inside"
OF_WAITS = "of the host for the GPU, in sync points inside"
"""What columns hold that several tables have; of all others it stands where they are declared."""
