"""The lines of a run without a GPU that would wait for one, told from the calls that the hook recorded.

Which op a call of torch's becomes stands here, whether that op waits in `tbprof.optable`.
Tensors are taken to be on the device, as most are in a training that gets one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tbprof.model import PredictedKind, PredictedLine, RecordedCall, Source, fingerprint, told_apart
from tbprof.optable import OPS, Known

__all__ = ["predicted_lines"]

_HOST_READERS = "torch/optim/"
"""Optimizers keep the number of their step on the host, on a machine with a GPU as well."""

_SCALAR = ("aten::_local_scalar_dense", "aten::item")
_TRUTH = (*_SCALAR, "aten::is_nonzero")
_COPY = ("aten::copy_", "aten::_to_copy", "aten::to")

_OPS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("item", "__int__", "__float__", "__complex__", "__index__", "__format__", "__contains__"), _SCALAR
    ),
    **dict.fromkeys(("__bool__", "is_nonzero"), _TRUTH),
    **dict.fromkeys(("tolist", "numpy", "__array__", "cpu", "__repr__"), _COPY),
    **dict.fromkeys(("to", "cuda", "xpu", "tensor", "as_tensor", "asarray"), _COPY),
    "where": ("aten::nonzero", "aten::nonzero_numpy", "aten::where"),
    "unique": ("aten::_unique2",),
    "__getitem__": ("aten::index",),
    "__setitem__": ("aten::_index_put_impl_", "aten::index_put_"),
}
"""By the function's name, innermost first; a function that is not here becomes the op of its name."""

_READERS = frozenset({"tolist", "numpy", "__array__", "cpu", "__repr__"})
_MOVERS = frozenset({"to", "cuda", "xpu"})
_LISTS = frozenset({"tensor", "as_tensor", "asarray", "__getitem__", "__setitem__"})

_RULES: dict[PredictedKind, str] = {
    "scalar_read": "SYN01",
    "control_flow": "SYN02",
    "dynamic_shape": "SYN03",
    "host_read": "SYN04",
}

_WAITS = {row.op: row for row in reversed(OPS)}


@dataclass(frozen=True, slots=True)
class _Wait:
    rule: str
    kind: PredictedKind
    known: Known


def predicted_lines(calls: Sequence[RecordedCall]) -> tuple[PredictedLine, ...]:
    """One for each line and function that would wait, in the order of the files and lines."""
    ordered = sorted(calls, key=lambda call: (call.file, call.line, call.call))
    found = list(_merged((call, wait) for call in ordered if (wait := _wait(call)) is not None))
    names = told_apart(
        fingerprint(wait.rule, call.file, call.function, _ops(call)) for call, wait, _ in found
    )
    return tuple(
        PredictedLine(
            rule=wait.rule,
            kind=wait.kind,
            source=Source(call.file, call.line, call.function, exact=True, candidates=()),
            call=call.call,
            count=count,
            known=wait.known,
            fingerprint=name,
        )
        for (call, wait, count), name in zip(found, names, strict=True)
    )


def _merged(waits: Iterator[tuple[RecordedCall, _Wait]]) -> Iterator[tuple[RecordedCall, _Wait, int]]:
    """Calls of one function at one line are one, whatever thread or options they had."""
    counts: dict[tuple[str, int, str, str], tuple[RecordedCall, _Wait, int]] = {}
    for call, wait in waits:
        key = (call.file, call.line, call.call, wait.rule)
        first, _, count = counts.get(key, (call, wait, 0))
        counts[key] = (first, wait, count + call.count)
    yield from counts.values()


def _wait(call: RecordedCall) -> _Wait | None:
    if call.via.replace("\\", "/").startswith(_HOST_READERS):
        return None
    if call.call in _READERS:
        return _Wait("SYN04", "host_read", "seen")
    if len(call.devices) > 1:
        return _upload(call)
    # The outermost knows best why the innermost reads.
    row = next((_WAITS[op] for op in reversed(_ops(call)) if op in _WAITS), None)
    return None if row is None else _Wait(_RULES[row.kind], row.kind, row.known)


def _upload(call: RecordedCall) -> _Wait | None:
    """Moves that ask not to be waited for are as they should be."""
    if call.call in _LISTS:
        return _Wait("CPY05", "upload", "seen")
    if call.call not in _MOVERS or call.non_blocking:
        return None
    return _Wait("CPY02" if call.pinned else "CPY01", "upload", "seen")


def _ops(call: RecordedCall) -> tuple[str, ...]:
    return _OPS.get(call.call, (f"aten::{call.call}",))
