"""The collectives of a trace: each communication row with what it sent, and to whom.

What torch records with `record_param_comms` and with NCCL's kernels (since 2.3, parts of it are missing in
many traces) comes first. Else the range `nccl:all_reduce` around the launch says the kind and, where
shapes were recorded, what went in; else the kernel's name says the kind.

Which device rows are communication: they look busy, and may only be waiting for another rank.

A row is communication by the name of its kernel, or because the call that launched it lies in a
`record_param_comms` op, whatever its name. Copies between devices are communication too. Collectives
of the host (gloo) are host ranges, and never device time.

Kinds of collectives and what each asks of the links (data).

Bus bandwidth is algorithm bandwidth times a factor of the kind and of the group's size, after NVIDIA's
nccl-tests (PERFORMANCE.md): what a perfect ring moves over each link, so that kinds can be compared. Sizes
are those of the gathered side: the larger of what goes in and what comes out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import union
from tbprof.analysis.names import are_named, matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.model import CollectiveKey
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, SparseColumn, distinct, dtype_name, item_bytes
from tbprof.trace.columns.columns import Category, Trace

_RANGES = r"(?:nccl|rccl|xccl|hccl|ucc|symm_mem):"
"""Ranges that the backends of torch.distributed open around a collective, and ops of symmetric memory."""

_HOLDING = (Category.USER_ANNOTATION, Category.CPU_OP)

_SAME_OUT = ("all_reduce", "broadcast", "reduce", "send", "recv", "copy")
"""Kinds whose output is as large as their input."""

_TRANSFERS = ("send", "recv")
"""Kinds that two ranks of a group do alone."""

_BOTH_ENDS = 2

_SHAPE = re.compile(r"\[([\d,]*)\]")
_TYPE = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True, eq=False)
class Collectives:
    """One entry a communication row, ascending by start."""

    at: Int64s
    """Position in the device work."""
    key: Int64s
    """Index into `keys`."""
    keys: tuple[CollectiveKey, ...]
    """In the order in which they are first met."""
    number: Int64s
    """Sequence number within the group, `NONE` where it was not recorded."""


def find_collectives(trace: Trace, work: DeviceWork, at: Int64s) -> Collectives:
    """Collect them; `at` are the positions of the communication rows in `work`, ascending."""
    rows, launch = work.rows[at], work.launch[at]
    op = _around(trace, launch, matching_rows(trace, OPS, Category.CPU_OP))
    of_range = _around(trace, launch, matching_rows(trace, _RANGES, *_HOLDING))
    said = _Arguments(trace, rows, op)
    lines, first, which = np.unique(_columns(said, of_range), axis=0, return_index=True, return_inverse=True)
    recorded = [_key(trace, values) for values in lines.tolist()]
    keys = tuple(dict.fromkeys(recorded[one] for one in np.argsort(first).tolist()))
    number_of = {key: number for number, key in enumerate(keys)}
    number = np.array([number_of[key] for key in recorded], np.int64)
    key = number[which.reshape(-1)]
    return Collectives(at, key, keys, _sequence_numbers(said, keys, key))


def ends_of_op(trace: Trace, rows: Int64s) -> tuple[Int64s, Int64s]:
    """Who sends and who receives, in global ranks: of each `record_param_comms`, `NONE` where not known."""
    return _Arguments(trace, rows, np.full(len(rows), NONE, np.int64)).ends()


def _sequence_numbers(said: _Arguments, keys: tuple[CollectiveKey, ...], key: Int64s) -> Int64s:
    """Each rank counts its own sends and receives of a group: of more than two ranks no two agree."""
    size = said.table("group_size")
    is_pair = np.array([one.kind in _TRANSFERS for one in keys], np.bool_)[key] if len(keys) else size > 2
    return np.where(is_pair & (size > _BOTH_ENDS), NONE, said.table("sequence_number"))


def key_of_op(trace: Trace, row: int) -> CollectiveKey:
    """What one `record_param_comms` says."""
    rows, nothing = np.array([row], np.int64), np.array([NONE], np.int64)
    (values,) = _columns(_Arguments(trace, rows, nothing), nothing).tolist()
    return _key(trace, values)


def _columns(said: _Arguments, of_range: Int64s) -> Int64s:
    """One row a collective, of all that a key is made of."""
    trace, rows = said.trace, said.rows
    columns = (
        said.of(trace.collective_name),
        np.where(of_range == NONE, NONE, trace.slices.name[of_range]),
        trace.slices.name[rows],
        *(said.table(name) for name in _FIELDS),
        *said.ends(),
        trace.input_shapes.at(of_range),
        trace.input_types.at(of_range),
        np.where(trace.bytes.at(rows) > 0, trace.bytes.at(rows), NONE),
    )
    return np.stack([column.astype(np.int64) for column in columns], axis=1)


_FIELDS = (
    "process_group",
    "process_group_ranks",
    "group_size",
    "collective_dtype",
    "in_message_elements",
    "out_message_elements",
)


@dataclass(frozen=True, slots=True, eq=False)
class _Arguments:
    """The arguments of a device row itself, else of the op that launched it."""

    trace: Trace
    rows: Int64s
    op: Int64s

    def of(self, column: SparseColumn) -> Int64s:
        own, launched = column.at(self.rows), column.at(self.op)
        return np.where(own == NONE, launched, own)

    def table(self, name: str) -> Int64s:
        if self.trace.collectives is None:
            return np.full(len(self.rows), NONE, np.int64)
        return self.of(getattr(self.trace.collectives, name))

    def ends(self) -> tuple[Int64s, Int64s]:
        """Source and destination. A send names its destination alone, a receive its source."""
        here = NONE if (rank := self.trace.own_rank) is None else rank
        source, destination = self.table("source_rank"), self.table("destination_rank")
        is_sent, is_received = destination != NONE, source != NONE
        return (
            np.where(is_sent & ~is_received, here, source),
            np.where(is_received & ~is_sent, here, destination),
        )


def _around(trace: Trace, launch: Int64s, candidates: Int64s) -> Int64s:
    """For each launch the innermost of the candidates around it, `NONE` without one."""
    found = np.full(len(launch), NONE, np.int64)
    known = np.flatnonzero(launch != NONE)
    slices, calls = trace.slices, launch[known]
    nest = Nest.of(slices, candidates)
    at = nest.innermost(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    inside = at != NONE
    found[known[inside]] = nest.rows[at[inside]]
    return found


def _key(trace: Trace, values: list[int]) -> CollectiveKey:
    said, of_range, kernel, group, ranks, size, dtype, sent, received, *rest = values
    source, destination, shapes, types, copied = rest
    names = [trace.names[name] for name in (said, of_range, kernel) if name != NONE]
    kind = next((kind for name in names if (kind := kind_of(name)) != UNKNOWN), UNKNOWN)
    dtype_text = _text(trace, dtype)
    item = None if dtype_text is None else item_bytes(dtype_text)
    known = None if sent == NONE or item is None else sent * item
    if dtype_text is None:
        dtype_text, known = _from_shapes(_text(trace, shapes), _text(trace, types))
    if copied != NONE:
        known = copied
    bytes_out = known if kind in _SAME_OUT else None
    has_ends = kind in _TRANSFERS and NONE not in (source, destination)
    size = _BOTH_ENDS if has_ends else size
    return CollectiveKey(
        kind=kind,
        group=_text(trace, group),
        ranks=f"{source} \u2192 {destination}" if has_ends else _text(trace, ranks),
        group_size=None if size < 1 else size,
        dtype=None if dtype_text is None else dtype_name(dtype_text),
        bytes_in=known,
        bytes_out=bytes_out if received == NONE or item is None else received * item,
    )


def key_of_range(trace: Trace, row: int) -> CollectiveKey:
    """What a backend's own range says, as `gloo:all_reduce` with its shapes."""
    at = np.array([row], np.int64)
    kind = kind_of(trace.names[trace.slices.name[row]])
    dtype, size = _from_shapes(
        _text(trace, int(trace.input_shapes.at(at)[0])), _text(trace, int(trace.input_types.at(at)[0]))
    )
    bytes_out = size if kind in _SAME_OUT else None
    return CollectiveKey(
        kind, None, None, None, None if dtype is None else dtype_name(dtype), size, bytes_out
    )


def _from_shapes(shapes: str | None, types: str | None) -> tuple[str | None, int | None]:
    """Type and bytes of all tensors of one call; a list of tensors has no single shape."""
    if shapes is None or types is None:
        return None, None
    sizes, kinds = _SHAPE.findall(shapes[1:-1]), _TYPE.findall(types)
    if len(sizes) != len(kinds):
        return None, None
    known = [(size, kind, item_bytes(kind)) for size, kind in zip(sizes, kinds, strict=True)]
    # What has neither shape nor known type is a number, or the process group.
    tensors = [(size, kind, item) for size, kind, item in known if size or item is not None]
    if not tensors or any(item is None for _, _, item in tensors):
        return None, None
    counted = ((prod(int(length) for length in size.split(",") if length), item) for size, _, item in tensors)
    return tensors[0][1], sum(elements * (item or 0) for elements, item in counted)


def _text(trace: Trace, name: int) -> str | None:
    return None if name == NONE else trace.names[name]


OPS = r"record_param_comms"
"""The op that torch puts around each collective's launch."""


@dataclass(frozen=True, slots=True)
class CommunicationName:
    """The beginning of a device row's name, as a regular expression, and where such a row was seen."""

    pattern: str
    seen: str


NAMES = (
    CommunicationName(r"(?:void )?ncclKernel", "traces of 2022 to 2024: DLRM on V100, DDP on A100"),
    CommunicationName(r"(?:void )?ncclDevKernel", "a trace of 2025: vLLM on B200; RCCL bears the same names"),
    CommunicationName(r"(?:void )?(?:rccl|msccl)", "source of RCCL and MSCCL"),
    CommunicationName(r"(?:void )?oneccl", "source of oneCCL, on XPU"),
    CommunicationName(
        r".*\b(?:multimem|one_shot|two_shot)_(?:one_shot_)?(?:all_reduce|all_gather|reduce_scatter)",
        "a trace of 2025: vLLM on B200, symmetric memory of torch",
    ),
    CommunicationName(r".*\bcross_device_reduce", "source of vLLM, SGLang and AITER: custom all-reduce"),
    CommunicationName(r".*\bquick_?reduce::allreduce", "source of vLLM: quick all-reduce on ROCm"),
    CommunicationName(
        r".*\b(?:allreduce|all_reduce|all_gather|reduce_scatter)_(?:fusion|kernel|two_?shot|one_?shot)",
        "source of TensorRT-LLM, FlashInfer and SGLang: fused all-reduces",
    ),
    CommunicationName(r".*\bnvshmem", "source of NVSHMEM"),
    CommunicationName(r".*\bdeep_ep::", "source of DeepEP: dispatch and combine"),
    CommunicationName(r".*\bep::(?:inter|intra)node", "a trace of 2025: DeepSeek-V3 on H800"),
    CommunicationName(r"Memcpy PtoP", "CUPTI's name of a copy from one device to another"),
)


def is_communication(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """One entry a row of `work`."""
    slices = trace.slices
    named = are_named(trace, work.rows, _is_communication_name)
    ops = matching_rows(trace, OPS, Category.CPU_OP, Category.USER_ANNOTATION)
    found: npt.NDArray[np.bool_] = named.copy()
    is_kernel = work.is_kernel
    for lane in distinct(slices.lane[ops]).tolist():
        mine = ops[slices.lane[ops] == lane]
        inside = union(slices.start_ns[mine], slices.end_of(mine))
        launched = is_kernel & (work.launch != NONE) & (slices.lane[work.launch] == lane)
        at = np.searchsorted(inside.start_ns, work.launch_start_ns, side="right") - 1
        held = at >= 0
        held[held] = work.launch_start_ns[held] < inside.end_ns[at[held]]
        found |= launched & held
    return found


@lru_cache(maxsize=4096)
def _is_communication_name(name: str) -> bool:
    """Kept, since several ask: of a compiled kernel's name all of its hundreds of characters are searched."""
    return re.match("|".join(f"(?:{one.pattern})" for one in NAMES), name) is not None


UNKNOWN = "unknown"

_KINDS = (
    (r"all_?reduce|cross_device_reduce", "all_reduce"),
    (r"reduce_?scatter", "reduce_scatter"),
    (r"all_?gather", "all_gather"),
    (r"broadcast", "broadcast"),
    (r"all_?to_?all|\bdispatch\b|\bcombine\b", "all_to_all"),
    (r"send_?recv", "send_recv"),
    (r"\b_?i?send", "send"),
    (r"\b_?i?recv", "recv"),
    (r"barrier", "barrier"),
    (r"scatter", "scatter"),
    (r"gather", "gather"),
    (r"reduce", "reduce"),
    (r"Memcpy PtoP", "copy"),
)
"""What a name holds, the more telling first: names of torch's ops, of NCCL's kernels, of others' kernels."""

LEFT_ONE_BY_ONE = frozenset(
    ("all_to_all", "broadcast", "reduce", "gather", "scatter", "send", "recv", "send_recv")
)
"""Kinds that a rank may leave before others do, and that may last after the last rank has come."""

_SHARED = ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter")
"""Kinds in which a rank keeps its own part."""


def kind_of(name: str) -> str:
    """The kind that a name tells, else `UNKNOWN`."""
    return next((kind for part, kind in _KINDS if re.search(part, name, re.IGNORECASE)), UNKNOWN)


def bus_factor(kind: str, group_size: int | None) -> float | None:
    """Bus over algorithm bandwidth; None where the group's size decides and was not recorded."""
    if kind not in ("all_reduce", *_SHARED):
        return 1.0 if kind != UNKNOWN else None
    if group_size is None or group_size < 1:
        return None
    share = (group_size - 1) / group_size
    return 2 * share if kind == "all_reduce" else share
