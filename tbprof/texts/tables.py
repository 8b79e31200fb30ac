"""What a table is a table of."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.records import dataclass
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


def modules_sentence(
    *, total_us: float, outside_us: float, has_device: bool, in_steps: bool, steps: int
) -> str:
    """Times of the device, of the host without one; `outside_us` are in no part of the program."""
    start = f"Modules {_scope(in_steps=in_steps, steps=steps)}"
    told = f"{start}: {duration(total_us)} on the {'device' if has_device else 'host'}"
    return f"{told}, {share(outside_us / total_us)} of it outside modules." if total_us else f"{told}."


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
    told = f"{count(calls, 'collective')} of the whole trace"
    if exposed_us is None:
        return f"{told}."
    return f"{told}; within the steps {duration(exposed_us)} with no computing beside them."


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
    told = [f"`{name_words(name)}` takes {_difference(us, each)}" for name, us in largest]
    return f"{_listed(told)}{'' if on_device else ', on the host'}.{idle}"


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


@dataclass(frozen=True, slots=True)
class ColumnText:
    head: str
    about: str = ""


_TEXTS = {
    "name": ColumnText("Name"),
    "shapes": ColumnText("Shapes", "of its tensors"),
    "source": ColumnText("Called in", "the innermost function of your own, with the line of its `def`"),
    "calls": ColumnText("Calls"),
    "host_self_us": ColumnText("Host self", "time on the host without what is recorded inside it"),
    "host_total_us": ColumnText("Host total", "time on the host with everything inside it"),
    "host_mean_us": ColumnText("Host mean", "of a call, with everything inside it"),
    "host_median_us": ColumnText("Host median", "of a call, with everything inside it"),
    "host_p90_us": ColumnText("Host p90", "nine of ten calls take less on the host"),
    "device_self_us": ColumnText("GPU self", "kernels, copies and memsets that it launched itself"),
    "device_total_us": ColumnText("GPU total", "with what operators inside it launched"),
    "device_mean_us": ColumnText("GPU mean", "of a call, with what operators inside it launched"),
    "device_median_us": ColumnText("GPU median", "of a call, with what operators inside it launched"),
    "device_p90_us": ColumnText("GPU p90", "nine of ten calls take less on the GPU"),
    "share": ColumnText("Share", "of the GPU's time; of the host's where no GPU is recorded"),
    "cumulative_share": ColumnText("Sum", "share of this row and all larger ones"),
    "launches": ColumnText("Launches", "calls of its own that gave the GPU work"),
    "flops": ColumnText("FLOPs", "floating-point operations that the shapes require"),
    "bytes": ColumnText("Bytes", "that have to be read and written at least"),
    "covered_us": ColumnText("Covered", "GPU time for which formulas know FLOPs and bytes"),
    "limit_us": ColumnText("Limit", "what the GPU needs for that at its peak rates"),
    "above_limit_us": ColumnText("Above limit", "what it took longer than that"),
    "share_of_limit": ColumnText(
        "Of limit", "how near it comes to the GPU's peak rate, of computing or of memory"
    ),
    "reached_tflops": ColumnText("TFLOP/s"),
    "reached_tb_s": ColumnText("TB/s"),
    "idle_us": ColumnText("GPU idle", "idle of the busiest GPU in the steps while the host was inside"),
    "wait_us": ColumnText("Waits", "of the host for the GPU, in sync points inside"),
    "tensor_cores_eligible": ColumnText("Eligible", "computes what tensor cores can"),
    "tensor_cores_used": ColumnText("Tensor cores", "share of its GPU time in kernels that use them"),
    "short_name": ColumnText("Kernel", "shortened; its whole name is on hover and in the details"),
    "library": ColumnText("Library"),
    "total_us": ColumnText("Total"),
    "mean_us": ColumnText("Mean"),
    "min_us": ColumnText("Min"),
    "max_us": ColumnText("Max"),
    "grid": ColumnText("Grid", "blocks, of the configuration that takes most time"),
    "block": ColumnText("Block", "threads of a block"),
    "registers_per_thread": ColumnText("Registers", "of a thread"),
    "shared_memory_bytes": ColumnText("Shared memory", "of a block"),
    "configurations": ColumnText("Configurations", "different grids, blocks, registers and shared memory"),
    "blocks_per_sm": ColumnText(
        "Blocks per SM", "mean, weighted by time; below 1 multiprocessors are left out"
    ),
    "occupancy": ColumnText("Occupancy, %", "Kineto's estimate, mean weighted by time"),
    "tensor_cores": ColumnText("Tensor cores", "whether its name says that it uses them"),
    "block_sizes": ColumnText("Block sizes", "that torch.compile tuned its Triton kernel to"),
    "compiled_file": ColumnText("Compiled file", "of torch.compile's output, on the machine that recorded"),
    "region": ColumnText("Compiled region", "or CUDA graph, from which most of its time comes"),
    "called_in": ColumnText("Called in", "the function of the model from which most of its time comes"),
    "places": ColumnText("Places", "different regions and functions that launch it"),
    "count": ColumnText("Equal", "layers that stand in one row"),
    "device_us": ColumnText("GPU", "kernels, copies and memsets launched inside, or by its backward pass"),
    "device_forward_us": ColumnText("GPU forward"),
    "device_backward_us": ColumnText("GPU backward"),
    "host_us": ColumnText("Host", "with everything inside"),
    "host_forward_us": ColumnText("Host forward"),
    "host_backward_us": ColumnText("Host backward"),
    "least_us": ColumnText("Least", "of the equal layers"),
    "median_us": ColumnText("Median", "of the equal layers"),
    "most_us": ColumnText("Most", "of the equal layers"),
    "odd": ColumnText("Odd one out", "of the equal layers"),
    "odd_us": ColumnText("It takes"),
    "class": ColumnText("Class"),
    "device": ColumnText("Device"),
    "increase_bytes": ColumnText(
        "Increase", "what it allocated less what it gave back, with operators inside"
    ),
    "self_increase_bytes": ColumnText("Self increase", "the same without the operators inside"),
    "allocations": ColumnText("All blocks", "that it allocated, or operators inside it"),
    "self_allocations": ColumnText("Blocks", "that it allocated itself"),
    "allocated_bytes": ColumnText("Allocated", "with the operators inside, whenever it was given back"),
    "self_allocated_bytes": ColumnText(
        "Self allocated", "without the operators inside, whenever it was given back"
    ),
    "at_peak_bytes": ColumnText("At the peak", "what it allocated itself and was there at the device's peak"),
    "kept_bytes": ColumnText("Kept", "what it allocated itself and was there at the end"),
    "state": ColumnText("State"),
    "calls_before": ColumnText("Calls before"),
    "calls_after": ColumnText("after"),
    "us_before": ColumnText("Time before"),
    "us_after": ColumnText("after"),
    "difference_us": ColumnText("Difference"),
}


def column_text(key: str, head: str) -> ColumnText:
    """The text of a column by its key; one without words of its own keeps the head that it has in text."""
    return _TEXTS.get(key) or ColumnText((head or key.removesuffix("_us").replace("_", " ")).capitalize())
