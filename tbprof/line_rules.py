"""Which rule a line breaks, by what it does, and how it is fixed: for lines that no GPU has run.

Preflight and the lines that are predicted from a recording ask here, so that they name one line by
one rule; the rules about traces share the thresholds. A test holds the fixes to the rules' pages.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FIXES", "LOOP_READS", "SCALAR_BYTES", "STAGED_BYTES", "LineUse", "rule_of"]

LOOP_READS = 3
"""Reads in one step that make a loop: two are as often a loss and its accuracy."""

SCALAR_BYTES = 16
"""The largest scalar, a complex128; what is larger is a tensor, whatever op reads it."""

STAGED_BYTES = 64 * 1024
"""CUDA copies pageable memory up to this size into a buffer of its own and returns; a larger upload
waits for its stream, whatever it was asked for (CUDA Runtime API, "API synchronization behavior")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUse:
    """What a line does with the device in its steps."""

    kind: str
    """In the words of `tbprof.preflight.prediction.prediction.Kind`."""
    call: str
    """What was called in Python, such as `item`, `to` or `__getitem__`."""
    via: str = ""
    """The file of torch's own Python code between the line and the op."""
    per_step: int | None = None
    """Most often in one step; None where nothing took a step."""
    nbytes: int | None = None
    """Of one copy; None where it is not known."""
    is_pinned: bool = False
    is_constant: bool = False
    """Whether each step uploads the same bytes."""
    is_made_there: bool = False
    """Whether a factory of torch's filled on the host what is uploaded."""


def rule_of(use: LineUse) -> str:
    """The code of the rule that it breaks."""
    if use.kind == "upload":
        return _rule_of_upload(use)
    if use.call == "empty_cache":
        return "MEM02"
    if use.kind == "scalar_read":
        if use.via.endswith("grad_scaler.py"):
            return "SYN08"
        if use.via.endswith("clip_grad.py"):
            return "SYN12"
    if use.kind in ("scalar_read", "control_flow") and (use.per_step or 0) >= LOOP_READS:
        return "SYN05"
    return _BY_KIND.get(use.kind, "SYN01")


def _rule_of_upload(use: LineUse) -> str:
    if use.call in _FROM_VALUES and (use.nbytes is None or use.nbytes < STAGED_BYTES):
        return "CPY05"
    if use.is_constant:
        return "CPY03"
    if use.is_made_there:
        return "CPY04"
    return "CPY02" if use.is_pinned else "CPY01"


_FROM_VALUES = frozenset({"tensor", "as_tensor", "asarray", "new_tensor", "__getitem__", "__setitem__"})

_BY_KIND = {
    "scalar_read": "SYN01",
    "control_flow": "SYN02",
    "dynamic_shape": "SYN03",
    "host_read": "SYN04",
    "synchronise": "SYN06",
    "race": "CPY10",
    "device_mismatch": "DEV01",
}

FIXES: dict[str, str] = {
    "SYN01": (
        "Add up on the device and read rarely; where every value is needed, read it one step late "
        "from a pinned buffer."
    ),
    "SYN02": (
        "Choose on the device with `torch.where`, check with `torch._assert_async`, or move the "
        "check to where the data is still on the host."
    ),
    "SYN03": (
        "Keep the shape and blend with the mask, use `torch.nonzero_static` or pass the size where "
        "the host knows it, and let a loss leave out pixels by its `ignore_index`."
    ),
    "SYN04": (
        "Reduce on the device and copy the result rarely; where the tensor itself is needed, copy "
        "it into a pinned buffer without blocking and read it after an event, one step later."
    ),
    "SYN05": (
        "Stack the scalars and read them at once; where only their sum or a test of all of them is "
        "needed, make that on the device, and read it rarely."
    ),
    "SYN06": (
        "Take it out. To measure time record events, and read `start.elapsed_time(end)` some steps "
        "later; to order work of two streams let one wait for the other with `stream.wait_stream`. "
        "An event that guards a buffer is better looked at one step later."
    ),
    "SYN08": (
        "A fused Adam, AdamW, SGD or Adagrad looks at the flag on the device; training in bfloat16 "
        "needs no scaler at all."
    ),
    "SYN12": (
        "Turn anomaly mode on only while a NaN is hunted, and check the norm of all gradients on "
        "the device, or every so many steps."
    ),
    "CPY01": (
        "Let the DataLoader pin its batches, and copy them with `non_blocking=True`. What is no batch "
        "(a buffer, a mask, a table that each step moves) keep on the device."
    ),
    "CPY02": "Add `non_blocking=True`. The device's own order keeps the kernels behind the copy.",
    "CPY03": (
        "Register it as a buffer of the module, which moves with `.to(device)`, or make it on the "
        "device once."
    ),
    "CPY04": (
        "Name the device where the tensor is made: `device=x.device`, `x.new_zeros(...)`, "
        "`torch.zeros_like(x)`."
    ),
    "CPY05": (
        "Make the tensor once, outside the step, and keep it on the device; take slices for ranges "
        "(`x[:, a:b]`), and `torch.full((), value, device=device)` for one number."
    ),
    "CPY10": (
        "Record an event after the copy and ask it, or wait for it, before the buffer is read; one "
        "step later it has passed as a rule."
    ),
    "MEM02": (
        "Leave the call out. Where memory is short, set "
        "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, or make the batch smaller."
    ),
    "DEV01": (
        "Make the tensor on the device of the others, with device=, or keep it in a buffer of its "
        "module, which moves along with it."
    ),
}
"""By rule: the fix of its page."""
