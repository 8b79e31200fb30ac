"""What is said of an allocation that failed."""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.model import OutOfMemory
from tbprof.texts.figures.quantities import count, size

__all__ = ["asked_sentence", "changes", "device_name", "there_sentence", "unaccounted_bytes"]


def device_name(found: OutOfMemory) -> str:
    """Within a sentence."""
    return "the CPU" if found.device == "CPU" else found.device


def asked_sentence(found: OutOfMemory) -> str:
    """What failed, and when."""
    asked = "Memory" if found.asked_bytes is None else size(found.asked_bytes)
    return f"{asked} of {device_name(found)} could not be allocated, after {count(found.step, 'step')}."


def there_sentence(found: OutOfMemory) -> str:
    """What was there; "" where nobody said it."""
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
    held = found.held
    known = held.parameters_bytes + held.gradients_bytes + held.optimizer_bytes + held.other_bytes
    return max(found.allocated_bytes - known, 0)


def changes(found: OutOfMemory) -> Iterator[str]:
    """What would free how much, as far as it is known."""
    asked, total = found.asked_bytes, found.total_bytes
    if asked is not None and total is not None and asked > total:
        yield "The request alone is larger than the memory: look at the sizes in its line."
        return
    if found.reserved_bytes is not None and found.allocated_bytes is not None:
        unused = found.reserved_bytes - found.allocated_bytes
        if asked is not None and unused >= asked:
            yield (
                f"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: up to {size(unused)} lie in the cache in"
                " pieces that are too small (MEM03)."
            )
    rest = unaccounted_bytes(found)
    if rest:
        yield f"A batch half as large: about half of what grows with it, up to {size(rest // 2)} of the rest."
        yield f"Activation checkpointing: most of the activations, up to {size(rest)} (MEM04 says its price)."
    held = found.held
    if held.gradients_bytes:
        yield (
            "zero_grad(set_to_none=True) before the forward pass, if it failed there:"
            f" {size(held.gradients_bytes)} of gradients."
        )
    if held.optimizer_bytes:
        yield f"An optimizer with a smaller or a sharded state: up to {size(held.optimizer_bytes)}."
    if held.other_bytes:
        yield (
            f"Tensors that Python keeps, such as lists of results: up to {size(held.other_bytes)}; where"
            " memory grows with each step, a window with profile_memory=True names the place (MEM05)."
        )
