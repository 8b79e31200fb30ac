"""The rule that a line breaks, by what it does: for lines that no GPU has run.

Preflight and the lines that are predicted from a recording ask here, so that they name one line by
one rule; the rules about traces share the thresholds.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from tbprof.records import dataclass

LineKind: TypeAlias = Literal[
    "device_mismatch",
    "race",
    "synchronize",
    "scalar_read",
    "control_flow",
    "dynamic_shape",
    "host_read",
    "upload",
]
"""What a line does with the device."""

LINE_KINDS: tuple[LineKind, ...] = get_args(LineKind)
"""In the order in which they are listed: what is wrong before what is slow."""

LOOP_RULE = "LCH08"
"""The rule whose fix is that of several lines in one loop."""

LOOP_READS = 3
"""Reads in one step that make a loop: two are as often a loss and its accuracy."""

SCALAR_BYTES = 16
"""The largest scalar, a complex128; what is larger is a tensor, whatever op reads it."""

STAGED_BYTES = 64 * 1024
"""CUDA copies pageable memory up to this size into a buffer of its own and returns; a larger upload
waits for its stream, whatever it was asked for (CUDA Runtime API, "API synchronization behavior")."""


LEGACY_TYPES = (
    *("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "ByteTensor", "CharTensor"),
    *("ShortTensor", "IntTensor", "LongTensor", "BoolTensor"),
)
"""Classes of torch's, and of `torch.cuda`, that make tensors of one type."""

FROM_VALUES = ("tensor", "as_tensor", "asarray", "new_tensor", "new", *LEGACY_TYPES)
"""Functions of torch's that make a tensor of numbers of Python's."""

INDEXING = ("__getitem__", "__setitem__")
"""They make one of a list that they are given as the index."""

SCALER_FILE = "grad_scaler.py"
CLIPPING_FILE = "clip_grad.py"
"""Files of torch's own Python code that read for their callers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUse:
    """What a line does with the device in its steps."""

    kind: LineKind
    call: str
    """What was called in Python, such as `item`, `to` or `__getitem__`."""
    via: str = ""
    """The file of torch's own Python code between the line and the op."""
    per_step: int | None = None
    """Most often in one step; None where nothing took a step."""
    nbytes: int | None = None
    """The bytes of one copy; None where they are not known."""
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
        if use.via.endswith(SCALER_FILE):
            return "SYN08"
        if use.via.endswith(CLIPPING_FILE):
            return "SYN12"
    if use.kind in ("scalar_read", "control_flow") and (use.per_step or 0) >= LOOP_READS:
        return "SYN05"
    return _BY_KIND[use.kind]


def _rule_of_upload(use: LineUse) -> str:
    """The first that fits, in the order in which a trace prefers them.

    A call that makes a tensor of numbers uploads what it made itself: neither pinned nor filled by a factory.
    """
    if use.call in (*FROM_VALUES, *INDEXING) and (use.nbytes is None or use.nbytes < STAGED_BYTES):
        return "CPY05"
    if use.is_pinned:
        return "CPY02"
    if use.is_made_there:
        return "CPY04"
    return "CPY03" if use.is_constant else "CPY01"


_BY_KIND: dict[LineKind, str] = {
    "scalar_read": "SYN01",
    "control_flow": "SYN02",
    "dynamic_shape": "SYN03",
    "host_read": "SYN04",
    "synchronize": "SYN06",
    "race": "CPY10",
    "device_mismatch": "DEV01",
}
