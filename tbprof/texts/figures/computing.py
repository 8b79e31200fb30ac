"""Where the devices' time goes, and how near to their limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tbprof.model import Computing, ComputingPart, GpuUse
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


_USE: tuple[tuple[str, Callable[[GpuUse], float | None], str], ...] = (
    (
        "GPU utilization",
        lambda use: use.utilization,
        "The share of the time in which at least one kernel ran. It does not say how full the GPU was, and a "
        "kernel that waits for another rank counts.",
    ),
    (
        "Estimated SM efficiency",
        lambda use: use.sm_efficiency,
        "The mean share of the multiprocessors that had work. Far below the utilization, grids are too "
        "small. A high one does not mean fast kernels: one small block is enough to count.",
    ),
    (
        "Estimated achieved occupancy",
        lambda use: use.occupancy,
        "The share of a multiprocessor's threads that kernels use, as a mean over their time. Matrix "
        "products are fast at a low one; element-wise kernels need a high one to hide memory latency.",
    ),
)
"""The figures of torch-tb-profiler's overview: title, figure, and what it can and can't say."""

_EACH = 4
"""The most GPUs whose figures are named one by one."""


def gpu_use_rows(used: Sequence[GpuUse]) -> tuple[tuple[str, str, str], ...]:
    """Title, figure and sentence of each figure that is known of some GPU."""
    rows = ((title, [(use.device, of(use)) for use in used], about) for title, of, about in _USE)
    return tuple(
        (title, _of_each([(device, value) for device, value in values if value is not None]), about)
        for title, values, about in rows
        if any(value is not None for _, value in values)
    )


def gpu_use_sentence(used: Sequence[GpuUse]) -> str:
    """The same figures in one line."""
    return ", ".join(f"{title.replace('Estimated', 'estimated')} {of}" for title, of, _ in gpu_use_rows(used))


def _of_each(values: Sequence[tuple[int, float]]) -> str:
    if len(values) == 1:
        return share(values[0][1])
    if len(values) > _EACH:
        shares = [value for _, value in values]
        least, most = share(min(shares)), share(max(shares))
        return least if least == most else f"{least} to {most}"
    return ", ".join(f"GPU {device} {share(value)}" for device, value in values)


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
