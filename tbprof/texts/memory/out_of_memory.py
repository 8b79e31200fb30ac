"""What is said of an allocation that failed."""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.model import HeldTensors, OutOfMemory
from tbprof.texts.figures.quantities import count, size


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
    """Of what torch gave to tensors, what Python knows no tensor of; None on the CPU, where nobody counts."""
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
        yield f"{size(free)} were free, and no size of the request is told: look at its line."
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
    """By what holds memory: how much a change frees at most, and what it is."""
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
