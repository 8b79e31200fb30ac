"""Sentences of the tables and the page of memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tbprof.model import HeldTensors, MemoryStep, OutOfMemory
from tbprof.records import dataclass
from tbprof.texts.figures.places import name_words
from tbprof.texts.figures.quantities import count, size

MISSING = (
    "No allocations were recorded: record a window with `profile_memory=True`, which torch.profiler and the "
    "hook both take."
)


_CPU = "CPU"
_WHILE_PROFILED = "of what was allocated while a profiler ran"
_OF_A_CPU = (
    "on the CPU torch counts only while a profiler runs, so that what was there before is missing, and what "
    "is freed between windows stays in the sum"
)


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """The memory of one device."""

    device: str
    peak_bytes: int
    """Allocated."""
    reserved_bytes: int | None
    """The most; None where the allocator keeps no cache, or did not say."""
    is_recorded: bool
    """Whether the allocator said its totals; else what was there before the recording is not known."""
    before_bytes: int | None
    """What of it was there before the recording; None where that is not known."""


def memory_sentence(devices: Sequence[MemoryFigures], *, in_steps: bool, steps: int) -> str:
    """What was allocated at most, device by device."""
    return f"Memory {_scope(in_steps=in_steps, steps=steps)}: {peak_words(devices)}."


def peak_words(devices: Sequence[MemoryFigures]) -> str:
    """The same without its scope."""
    return "; ".join(_peak(one) for one in devices)


def _peak(figures: MemoryFigures) -> str:
    if not figures.is_recorded:
        return f"{figures.device} at least {size(figures.peak_bytes)} above its lowest"
    before = f", {size(figures.before_bytes)} of it from before the window" if figures.before_bytes else ""
    if figures.device == _CPU:
        return f"{figures.device} at most {size(figures.peak_bytes)} {_WHILE_PROFILED}{before}"
    sentence = f"{figures.device} at most {size(figures.peak_bytes)} allocated{before}"
    return (
        sentence if figures.reserved_bytes is None else f"{sentence}, {size(figures.reserved_bytes)} reserved"
    )


def _scope(*, in_steps: bool, steps: int) -> str:
    if in_steps and steps:
        return f"of {count(steps, 'step')}"
    return f"of the whole trace with {count(steps, 'step')}" if steps else "of the whole trace"


@dataclass(frozen=True, slots=True)
class HeldFigures:
    """The peak of one device."""

    device: str
    peak_bytes: int
    is_recorded: bool
    step: str | None
    reserved_bytes: int | None
    before_bytes: int | None
    """What of it was there before the recording; None where that is not known."""
    largest: str | None
    """Who holds most of the rest; None where nobody is known."""
    largest_bytes: int
    events: int


def peak_headline(figures: HeldFigures) -> str:
    """What the peak is, and who holds most of it."""
    where = "" if figures.step is None else f", in {figures.step}"
    if not figures.is_recorded:
        return f"{figures.device} holds at most {size(figures.peak_bytes)} above its lowest moment{where}."
    held = []
    if figures.largest is not None:
        held.append(f"{size(figures.largest_bytes)} of it from `{name_words(figures.largest)}`")
    if figures.before_bytes:
        held.append(f"{size(figures.before_bytes)} from before the recording")
    scope = f" {_WHILE_PROFILED}" if figures.device == _CPU else ""
    sentence = f"{figures.device} holds at most {size(figures.peak_bytes)}{scope}{where}"
    return f"{sentence}: {' and '.join(held)}." if held else f"{sentence}."


def peak_note(figures: HeldFigures) -> str:
    """What the figures are of."""
    sentence = f"{count(figures.events, 'event')} of the allocator"
    if not figures.is_recorded:
        return f"{sentence}; torch before 1.10 records neither totals nor addresses: holders are not known"
    if figures.device == _CPU:
        return f"{sentence}; {_OF_A_CPU}"
    if figures.reserved_bytes is None:
        return sentence
    spare = figures.reserved_bytes - figures.peak_bytes
    return f"{sentence}; {size(figures.reserved_bytes)} reserved at most, {size(spare)} above the peak"


def device_name(found: OutOfMemory) -> str:
    """Within a sentence."""
    return "the CPU" if found.device == "CPU" else found.device


def asked_sentence(found: OutOfMemory) -> str:
    """What failed, and when."""
    asked = "Memory" if found.asked_bytes is None else size(found.asked_bytes)
    return f"{asked} of {device_name(found)} could not be allocated, after {count(found.step, 'step')}."


def there_sentence(found: OutOfMemory) -> str:
    """What was there; "" where nobody said it."""
    if found.is_address_limit and found.total_bytes is not None and found.free_bytes is not None:
        limit, free = size(found.total_bytes), size(found.free_bytes)
        return f"The process may have {limit} of addresses (ulimit -v), of which {free} were free."
    known = [
        f"{size(amount)} {words}"
        for amount, words in (
            (found.total_bytes, "in all"),
            (found.free_bytes, "free"),
            (found.allocated_bytes, "in tensors" if found.reserved_bytes is not None else "in the process"),
            (found.reserved_bytes, "held by torch's allocator"),
        )
        if amount is not None
    ]
    return f"There were {', '.join(known)}." if known else ""


def unaccounted_bytes(found: OutOfMemory) -> int | None:
    """The part of what torch gave to tensors that Python knows no tensor of; None on the CPU, where nobody
    counts.
    """
    if found.allocated_bytes is None or found.reserved_bytes is None:
        return None
    return max(found.allocated_bytes - _known_bytes(found.held), 0)


def changes(found: OutOfMemory) -> Iterator[str]:
    """What would free how much, as far as it is known; most first."""
    asked, total, free = found.asked_bytes, found.total_bytes, found.free_bytes
    if asked is not None and total is not None and asked > total:
        yield "The request alone is larger than the memory: look at the sizes in its line."
        return
    if asked is None and free is not None and free > _known_bytes(found.held):
        yield f"{size(free)} were free, and the size of the request is not known: look at its line."
        return
    if found.reserved_bytes is not None and found.allocated_bytes is not None:
        unused = found.reserved_bytes - found.allocated_bytes
        if asked is not None and unused >= asked:
            yield (
                f"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: up to {size(unused)} lie in the cache in"
                " pieces that are too small (MEM03)."
            )
    for _, change in sorted(_of_tensors(found), key=lambda one: -one[0]):
        yield change


def _known_bytes(held: HeldTensors) -> int:
    kinds = (held.parameters_bytes, held.gradients_bytes, held.optimizer_bytes)
    return sum(kinds) + held.saved_bytes + held.other_bytes


def _of_tensors(found: OutOfMemory) -> Iterator[tuple[int, str]]:
    """The advice by what holds memory: how much a change frees at most, and what it is."""
    held = found.held
    saved = held.saved_bytes + (unaccounted_bytes(found) or 0)
    if saved:
        yield (
            saved,
            "Activation checkpointing: most of what autograd keeps for the backward pass, up to"
            f" {size(saved)} (MEM04 says its price).",
        )
        yield (
            saved // 2,
            f"A batch half as large: about half of what grows with it, up to {size(saved // 2)} of the same.",
        )
    if held.gradients_bytes:
        yield (
            held.gradients_bytes,
            "zero_grad(set_to_none=True) before the forward pass, if it failed there:"
            f" {size(held.gradients_bytes)} of gradients.",
        )
    if held.optimizer_bytes:
        yield (
            held.optimizer_bytes,
            f"An optimizer with a smaller or a sharded state: up to {size(held.optimizer_bytes)}.",
        )
    if held.other_bytes:
        yield (
            held.other_bytes,
            f"Tensors that the program alone keeps, such as lists of results: up to {size(held.other_bytes)};"
            " where memory grows with each step, a window with profile_memory=True names the place (MEM05).",
        )


NO_LINE = "before this step, or not by an operator"
"""The place of what no line of the step allocated: a batch of a worker process comes as it is."""

_ENOUGH = 3
"""Two may differ by chance."""
_MIN_BYTES = 10_000
"""A step, as for MEM05."""


def growth_sentence(steps: Sequence[MemoryStep]) -> str:
    """A sentence: the peak grew from each to the next, and how fast; "" where it did not.

    Args:
        steps: Of one process, in their order.
    """
    pairs = itertools.pairwise(steps)
    if len(steps) < _ENOUGH or any(later.peak_bytes <= one.peak_bytes for one, later in pairs):
        return ""
    first, last = steps[0], steps[-1]
    per_step = (last.peak_bytes - first.peak_bytes) / max(last.step - first.step, 1)
    if per_step < _MIN_BYTES:
        return ""
    device = "the CPU" if last.device == "CPU" else last.device
    peaks = (
        f"{size(first.peak_bytes)} after {count(first.step, 'step')}, {size(last.peak_bytes)} after"
        f" {last.step:,}, and larger in each of the {len(steps)} followed steps of {last.worker}"
    )
    return (
        f"Memory of {device} grows by {size(int(per_step))} a step: the peak was {peaks}. Where what stays is"
        " made, a window with profile_memory=True says (MEM05)."
    )


def failed_sentence(*, asked_bytes: int, free_bytes: int, place: str | None) -> str:
    """What was asked for and where, and what the device had."""
    where = "" if place is None else f" at {place}"
    return f"out of memory: {size(asked_bytes)} asked for{where}, {size(free_bytes)} free on the device."
