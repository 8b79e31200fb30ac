"""Where the devices' time goes, and how near to their limit."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.model import Computing, ComputingPart
from tbprof.texts.figures.places import name_words
from tbprof.texts.figures.quantities import duration, share

PART_NAMES = {
    "matmul": "matrix products",
    "convolution": "convolutions",
    "attention": "attention",
    "normalization": "normalizations and softmax",
    "embedding": "lookups",
    "reduction": "reductions",
    "element-wise": "element-wise operators",
    "communication": "communication",
    "copies": "copies from and to the host",
    "graph": "CUDA graphs",
    "compiled": "kernels of torch.compile",
    "other": "other work",
}
"""Names by `ComputingPart.kind`; the last one may have no operator."""

_MOST_PARTS = 3
_WORTH_A_WORD = 0.05
_COVERED = 0.5
"""The share of a part, or of all, that has to be covered for its limit to speak for it."""


def computing_sentence(computing: Computing) -> str:
    """The largest parts, each with how near its limit it is, and what no formula covers; "" without work."""
    if not computing.device_ns:
        return ""
    named = [part for part in computing.parts if part.device_ns >= _WORTH_A_WORD * computing.device_ns]
    parts = ", ".join(_part(part, computing.device_ns) for part in named[:_MOST_PARTS])
    sentences = [f"Where the device's time goes: {parts}."]
    if computing.covered_ns and computing.uncovered_share >= _WORTH_A_WORD:
        sentences.append(f"No formula covers {share(computing.uncovered_share)} of the computing.")
    if computing.covered_ns and computing.device is None:
        sentences.append("The rates of this GPU are not known, so nothing says how near its limits that is.")
    if computing.mfu is not None:
        sentences.append(f"Model FLOPs utilization (MFU) of the steps: {share(computing.mfu)}.")
    return " ".join(sentences)


def _part(part: ComputingPart, device_ns: int) -> str:
    name = f"{share(part.device_ns / device_ns)} {PART_NAMES.get(part.kind, part.kind)}"
    if part.above_limit_ns is None or part.covered_ns < _COVERED * part.device_ns:
        return name
    return f"{name} at {share(1 - part.above_limit_ns / part.covered_ns)} of their limit"


def roofline_sentence(
    name: str,
    share_of_limit: float,
    above_us: float,
    share_of_device: float,
    *,
    covered_share: float,
    a_step: bool,
) -> str:
    """The operator whose calls together take longest above their limit."""
    above = f"{duration(above_us)} {'a step ' if a_step else ''}above it"
    known = f"Formulas cover {share(covered_share)} of the device's time. Of that, "
    return (
        f"{known if covered_share < _COVERED else ''}`{name_words(name)}` loses most: it reaches "
        f"{share(share_of_limit)} of its limit, {above}, {share(share_of_device)} of the device's time."
    )


def roofline_missing(*, has_device: bool, has_shapes: bool) -> str:
    """Why no operator has a place in the roofline."""
    if not has_device:
        return "no device is recorded"
    if not has_shapes:
        return "no shapes are recorded: record them with record_shapes=True"
    return "no formula covers what the device did"


def roof_label(types: Sequence[str], *, on_matrix_units: bool) -> str:
    """The label of the types that have one peak rate."""
    return f"{', '.join(types)}{', matrix units' if on_matrix_units else ''}"
