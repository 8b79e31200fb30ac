"""The lines of a run without a GPU that would wait for one, recognized in the calls that the hook recorded.

Which op a call of torch's becomes stands here, whether that op waits in `tbprof.optable`, and which
rule it breaks in `tbprof.line_rules`. Where the hook followed the tensors, only those that would be
on the device are waited for; of a recording without that, all are taken to be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tbprof.framework_options import CHECKED, CHECKED_ERRORS, blocks_on_a_cpu_only
from tbprof.line_rules import FROM_VALUES, INDEXING, LineUse, rule_of
from tbprof.model import (
    DEVICE,
    HOST,
    MADE_ON_HOST,
    PredictedKind,
    PredictedLine,
    RecordedCall,
    Source,
    SourceText,
    code_line,
    disambiguated,
    fingerprint,
)
from tbprof.optable import OPS, Known
from tbprof.records import dataclass

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
    **dict.fromkeys(CHECKED, (CHECKED_ERRORS,)),
    **dict.fromkeys(("svd", "linalg_svd", "linalg_svdvals"), ("aten::_linalg_svd",)),
    **dict.fromkeys(("linalg_eigh", "linalg_eigvalsh"), ("aten::_linalg_eigh",)),
    "pinverse": ("aten::linalg_pinv",),
    "linalg_eigvals": ("aten::_linalg_eigvals",),
    "where": ("aten::nonzero", "aten::nonzero_numpy", "aten::where"),
    "unique": ("aten::_unique2",),
    "__getitem__": ("aten::index",),
    "__setitem__": ("aten::_index_put_impl_", "aten::index_put_"),
}
"""Ops by the function's name, innermost first; a function that is not here becomes the op of its name."""

_READERS = frozenset({"tolist", "numpy", "__array__", "cpu", "__repr__"})
_MOVERS = frozenset({"to", "cuda", "xpu", "copy_"})

_WAITS = {row.op: row for row in reversed(OPS)}


@dataclass(frozen=True, slots=True)
class _Wait:
    kind: PredictedKind
    known: Known


def predicted_lines(
    calls: Sequence[RecordedCall], texts: Sequence[SourceText] = (), *, loaders_pin: bool = False
) -> tuple[PredictedLine, ...]:
    """One for each line and function that would wait, in the order of the files and lines.

    Args:
        calls: What the hook recorded in one step.
        texts: The program's lines, which set lines of one function apart.
        loaders_pin: Whether all loaders are asked to pin their batches, which they do with a GPU only.
    """
    ordered = sorted(calls, key=lambda call: (call.file, call.line, call.call))
    merged = _merged((call, wait) for call in ordered if (wait := _wait(call)) is not None)
    found = [
        (call, wait, count, rule_of(_use(call, wait, count, loaders_pin))) for call, wait, count in merged
    ]
    names = disambiguated(
        fingerprint(rule, call.file, call.function, _ops(call), code_line(_source(call), texts))
        for call, _, _, rule in found
    )
    return tuple(
        PredictedLine(
            rule=rule,
            kind=wait.kind,
            source=_source(call),
            call=call.call,
            count=count,
            known=wait.known,
            fingerprint=name,
        )
        for (call, wait, count, rule), name in zip(found, names, strict=True)
    )


def _source(call: RecordedCall) -> Source:
    return Source(call.file, call.line, call.function, exact=True, candidates=())


def _use(call: RecordedCall, wait: _Wait, count: int, loaders_pin: bool) -> LineUse:
    is_made_there = call.places[:1] == (MADE_ON_HOST,)
    return LineUse(
        kind=wait.kind,
        call=call.call,
        via=call.via,
        per_step=count,
        is_pinned=bool(call.pinned) or (loaders_pin and not is_made_there),
        is_constant=bool(call.same_bytes),
        is_made_there=is_made_there,
    )


def _merged(waits: Iterator[tuple[RecordedCall, _Wait]]) -> Iterator[tuple[RecordedCall, _Wait, int]]:
    """Calls of one function at one line are one, whatever thread or options they had."""
    counts: dict[tuple[str, int, str, str], tuple[RecordedCall, _Wait, int]] = {}
    for call, wait in waits:
        key = (call.file, call.line, call.call, wait.kind)
        first, _, count = counts.get(key, (call, wait, 0))
        counts[key] = (first, wait, count + call.count)
    yield from counts.values()


def _wait(call: RecordedCall) -> _Wait | None:
    if call.via.replace("\\", "/").startswith(_HOST_READERS):
        return None
    if call.places:
        return _wait_by_places(call)
    if call.call in _READERS:
        return _Wait("host_read", "seen")
    return _upload(call) if len(call.devices) > 1 else _read(call)


def _wait_by_places(call: RecordedCall) -> _Wait | None:
    """What is the host's is never waited for, and what is there already does not move."""
    start, end = call.places[0], call.places[-1]
    if len(call.places) == 1:
        return _read(call) if start == DEVICE else None
    if end == DEVICE:
        return None if start == DEVICE else _upload(call)
    return _Wait("host_read", "seen") if (start, end) == (DEVICE, HOST) else None


def _read(call: RecordedCall) -> _Wait | None:
    """The outermost op knows best why the innermost reads."""
    if call.call in _READERS:
        return _Wait("host_read", "seen")
    row = next((_WAITS[op] for op in reversed(_ops(call)) if op in _WAITS), None)
    return None if row is None else _Wait(row.kind, row.known)


def _upload(call: RecordedCall) -> _Wait | None:
    """Moves that ask not to be waited for are left out.

    A large one from pageable memory would hold the host up, but sizes are not recorded.
    """
    if call.call in (*FROM_VALUES, *INDEXING):
        return _Wait("upload", "seen")
    is_move = call.call in _MOVERS and (call.call != "copy_" or bool(call.places))
    is_awaited = not call.non_blocking and not blocks_on_a_cpu_only(call.file, call.function)
    return _Wait("upload", "seen") if is_move and is_awaited else None


def _ops(call: RecordedCall) -> tuple[str, ...]:
    return _OPS.get(call.call, (f"aten::{call.call}",))
