"""The table of kernels: one row a name, as torch-tb-profiler has it."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_durations import Durations, durations
from tbprof.analysis.figures.kernel_names import Compiled, compiled_kernels, short_name
from tbprof.analysis.figures.kernel_sequences import KernelSequence, repeated_sequences
from tbprof.analysis.figures.module_owners import Owners, find_owners
from tbprof.analysis.figures.module_table import MODULE_TABLES
from tbprof.analysis.figures.operator_grouping import code_of_kernels
from tbprof.analysis.figures.operators import find_operators
from tbprof.analysis.figures.part_labels import part_ranges
from tbprof.analysis.intervals import distinct_lines
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import Tables
from tbprof.trace.columns.tensor_cores import is_on_tensor_cores

KERNEL_TABLES: Tables = MODULE_TABLES | {"kernels"}
"""What of a trace a row reads."""


@dataclass(frozen=True, slots=True)
class KernelRow:
    """All kernels of one name."""

    name: str
    short_name: str
    library: str | None
    calls: int
    total_ns: int
    min_ns: int
    max_ns: int
    share: float
    """The share of the time of all kernels."""
    cumulative_share: float
    configuration: Configuration
    """The one with most time."""
    blocks_per_sm: float | None
    """Mean, weighted by duration; one below 1 leaves multiprocessors without work. None if not recorded."""
    occupancy_percent: float | None
    """Kineto's estimate, likewise."""
    tensor_cores: bool
    compiled: Compiled | None
    """The compiled kernel with most time, where torch.compile made some."""
    origin: Origin


@dataclass(frozen=True, slots=True)
class KernelTable:
    in_steps: bool
    """Whether only kernels launched within a step are counted; else those of the whole trace."""
    total_ns: int
    rows: tuple[KernelRow, ...]
    """Largest first."""
    durations: Durations
    sequences: tuple[KernelSequence, ...]


def kernel_table(facts: Facts, *, in_steps: bool = False) -> KernelTable:
    """The kernels of the whole trace, or of its steps; copies and memsets are none."""
    kernels = kernels_of(facts, in_steps=in_steps)
    length = facts.work.end_ns[kernels] - facts.work.start_ns[kernels]
    return KernelTable(
        in_steps=in_steps,
        total_ns=int(length.sum()),
        rows=_rows(facts, kernels, length),
        durations=durations(length),
        sequences=repeated_sequences(facts, kernels),
    )


def kernels_of(facts: Facts, *, in_steps: bool) -> Int64s:
    """Positions in `Facts.work`."""
    work = facts.work
    if not in_steps:
        return np.flatnonzero(work.is_kernel)
    in_a_step = facts.steps.index_of(work.launch_start_ns) != NONE
    return np.flatnonzero(work.is_kernel & (work.launch != NONE) & in_a_step)


def _rows(facts: Facts, kernels: Int64s, length: Int64s) -> tuple[KernelRow, ...]:
    trace, rows = facts.trace, facts.work.rows[kernels]
    names, at, calls = np.unique(trace.slices.name[rows], return_inverse=True, return_counts=True)
    total = np.zeros(len(names), np.int64)
    np.add.at(total, at, length)
    order = np.lexsort((names, -total))
    names, calls, total, at = names[order], calls[order], total[order], np.argsort(order)[at]
    least, most = np.full(len(names), np.iinfo(np.int64).max), np.zeros(len(names), np.int64)
    np.minimum.at(least, at, length)
    np.maximum.at(most, at, length)
    blocks = trace.blocks_per_sm.at(rows).astype(np.float64)
    shares = total / max(int(total.sum()), 1)
    columns = zip(
        [trace.names[name] for name in names.tolist()],
        calls.tolist(),
        total.tolist(),
        least.tolist(),
        most.tolist(),
        shares.tolist(),
        np.cumsum(shares).tolist(),
        configurations(trace, rows, length, at, len(names)),
        weighted_means(blocks, length, at, total),
        weighted_means(occupancy(trace, rows), length, at, total),
        compiled_kernels(facts, kernels, length, at, len(names)),
        kernel_origins(facts, kernels, length, at, len(names)),
        strict=True,
    )
    return tuple(_row(*cells) for cells in columns)


def _row(
    name: str,
    calls: int,
    total_ns: int,
    min_ns: int,
    max_ns: int,
    share: float,
    cumulative_share: float,
    configuration: Configuration,
    blocks_per_sm: float | None,
    occupancy_percent: float | None,
    compiled: Compiled | None,
    origin: Origin,
) -> KernelRow:
    return KernelRow(
        name=name,
        short_name=short_name(name),
        library=library_of(name),
        calls=calls,
        total_ns=total_ns,
        min_ns=min_ns,
        max_ns=max_ns,
        share=share,
        cumulative_share=cumulative_share,
        configuration=configuration,
        blocks_per_sm=blocks_per_sm,
        occupancy_percent=occupancy_percent,
        tensor_cores=is_on_tensor_cores(name),
        compiled=compiled,
        origin=origin,
    )


_WHOLE = 100


@dataclass(frozen=True, slots=True)
class Configuration:
    """None for what is not recorded."""

    grid: str | None
    block: str | None
    registers_per_thread: int | None
    shared_memory_bytes: int | None
    count: int
    """How many different ones there are, this one included."""


def configurations(trace: Trace, rows: Int64s, length: Int64s, at: Int64s, count: int) -> list[Configuration]:
    """The configuration with most time in each group, any of equal ones.

    Args:
        trace: The one of the kernels.
        rows: Of the kernels.
        length: How long each ran.
        at: Group of each, from 0 on; none is empty.
        count: Of the groups.
    """
    table, names = trace.kernels, trace.names
    if table is None:
        return [Configuration(None, None, None, None, 0)] * count
    columns = (table.grid, table.block, table.registers_per_thread, table.shared_memory_bytes)
    keys = np.stack([at, *(column.at(rows) for column in columns)], axis=1)
    distinct, which = distinct_lines(keys)
    spent = np.zeros(len(distinct), np.int64)
    np.add.at(spent, which, length)
    order = np.lexsort((spent, distinct[:, 0]))
    last = np.append(np.flatnonzero(np.diff(distinct[order, 0])), len(order) - 1)[:count]
    counts = np.bincount(distinct[:, 0], minlength=count)
    return [
        Configuration(
            grid=None if grid == NONE else names[grid],
            block=None if block == NONE else names[block],
            registers_per_thread=None if registers == NONE else registers,
            shared_memory_bytes=None if shared == NONE else shared,
            count=int(counts[name]),
        )
        for name, grid, block, registers, shared in distinct[order[last]].tolist()
    ]


def occupancy(trace: Trace, rows: Int64s) -> npt.NDArray[np.float64]:
    """In percent, NaN for what is not recorded, and for what is no part of a whole."""
    values = trace.occupancy_percent.at(rows).astype(np.float64)
    is_part = (values >= 0) & (values <= _WHOLE)
    return np.where(is_part, values, np.nan)


def weighted_means(
    values: npt.NDArray[np.float64], length: Int64s, at: Int64s, total: Int64s
) -> list[float | None]:
    """The mean of each name weighted by duration, a missing value among others as 0; None where all are
    missing.
    """
    known = np.bincount(at, ~np.isnan(values), len(total)) > 0
    sums = np.bincount(at, np.nan_to_num(values) * length, len(total))
    means = (sums / np.maximum(total, 1)).tolist()
    return [mean if is_known else None for mean, is_known in zip(means, known.tolist(), strict=True)]


LIBRARIES: tuple[tuple[str, str], ...] = (
    # NCCL, and RCCL under NCCL's names: DDP and DLRM traces of 2022 to 2025.
    ("nccl", r"^(?:void )?(?:nccl|rccl|msccl)|oneccl"),
    # Its symmetric memory: vLLM on B200.
    ("torch symmetric memory", r"multimem_(?:all_reduce|all_gather|reduce_scatter)|_shot_all_reduce"),
    # H100, A100 (pytorch_flash), and the package of Dao-AILab.
    ("flash-attn", r"\b(?:pytorch_)?flash(?:::|_(?:fwd|bwd))"),
    # xFormers' kernels, which torch contains: SAM on A100.
    ("mem-efficient attention", r"^fmha_cutlass[FB]|PyTorchMemEffAttention"),
    # vLLM on B200.
    ("tensorrt-llm", r"tensorrt_llm::|^fmhaSm\d|moe::dev::|^bmm_\w+_sm\d+"),
    ("flashinfer", r"flashinfer"),
    ("vllm", r"\bvllm::"),
    # MI300 under SGLang.
    ("sglang", r"sgl_(?:hip|kernel)|resolve_future_token_ids|store_kvcache"),
    ("aiter", r"^_ZN5aiter|aiter::"),
    ("composable kernel", r"^_ZN2ck|^_ZN7ck_tile|\bck(?:_tile)?::"),
    # DLRM and HTA's traces of 2022.
    ("fbgemm", r"fbgemm|split_embedding|dense_embedding_codegen|permute_pooled|linearize_index|recat_"),
    ("magma", r"\bmagma_"),
    # Volta to Hopper; its own copy of CUTLASS bears its name.
    (
        "cudnn",
        r"cudnn|xmma_(?:fprop|dgrad|wgrad)|(?:dgrad|wgrad)_\w*engine|_convolve_sgemm|\bfft2d_"
        r"|nchwToNhwc|nhwcToNchw",
    ),
    # Volta to Blackwell. What cuBLAS launches out of CUTLASS is named as CUTLASS.
    (
        "cublas",
        r"cublas|^nvjet_|^(?:maxwell|volta|turing|ampere|sm\d+)_\w*gemm|\bgemv|gemmSN_|gemmk1_|splitKreduce"
        r"|^void (?:dot_kernel|reduce_1Block_kernel)",
    ),
    # MI300.
    ("hipblaslt", r"^Cijk_"),
    ("miopen", r"^MIOpen|^igemm_|^SubTensorOp|^batched_transpose_|^Im2d2Col|^naive_conv"),
    ("cutlass", r"cutlass"),
    # Inductor's of 2023 and later, and those of the first releases of Triton (SAM).
    ("triton", r"^triton_|_0d1d|_triton$|^attn_(?:fwd|bwd)|^sage_|^_copy_page_indices"),
    ("torchvision", r"\bvision::ops::"),
    ("cub", r"^(?:void )?(?:\w+::)*(?:cub|hipcub|thrust|rocprim)::"),
    (
        "at::native",
        r"^(?:void )?at::|\bat::native::|\bcunn_|softmax_warp_|elementwise_kernel_with_index"
        r"|indexing_backward_kernel|^reduction_prod_kernel",
    ),
    # Outside at::native it is apex' own: HTA's traces of A100.
    ("apex", r"multi_tensor_apply_kernel"),
)
"""Library and a regular expression that finds its kernels, with where they were seen; the first that fits."""

_PATTERNS = tuple((library, re.compile(pattern)) for library, pattern in LIBRARIES)


def library_of(name: str) -> str | None:
    """None for a kernel of nobody known, such as one of the user's own."""
    return next((library for library, pattern in _PATTERNS if pattern.search(name)), None)


_REGIONS = ("compiled", "graph")


@dataclass(frozen=True, slots=True)
class Origin:
    region: str | None
    """`Torch-Compiled Region: 0/0 > CUDA graph 3`, of the forward pass for what autograd runs for it."""
    source: Source | None
    """The user's function from which most of its time comes; of the backward pass that of the forward one."""
    places: int
    """How many pairs of a region and a function there are."""


def kernel_origins(facts: Facts, kernels: Int64s, length: Int64s, at: Int64s, count: int) -> list[Origin]:
    """The origin with most time in each group, the first of equal ones.

    Args:
        facts: Of the window.
        kernels: Positions in `Facts.work`.
        length: How long each ran.
        at: Group of each, from 0 on.
        count: Of the groups.
    """
    found, places = [Origin(None, None, 0)] * count, np.zeros(count, np.int64)
    work, operators = facts.work, facts.once(find_operators)
    launched = np.flatnonzero(work.launch[kernels] != NONE)
    rows = work.launch[kernels[launched]]
    if len(rows) == 0:
        return found
    source, sources = code_of_kernels(facts, operators, kernels[launched])
    region, regions = _regions(facts, rows)
    if graphed := facts.graph_places:
        scopes = np.stack([graphed.label, graphed.module], axis=1)[kernels[launched]]
        region, regions = _within(region, regions, scopes, (graphed.labels, graphed.modules))
    keys, which = distinct_lines(np.stack([at[launched], region, source], axis=1))
    spent = np.zeros(len(keys), np.int64)
    np.add.at(spent, which, length[launched])
    known = (keys[:, 1] != NONE) | (keys[:, 2] != NONE)
    np.add.at(places, keys[known, 0], 1)
    # The largest one of a group is written last.
    order = np.lexsort((-np.arange(len(keys)), spent))
    for group, in_region, in_source in keys[order].tolist():
        found[group] = Origin(
            None if in_region == NONE else regions[in_region],
            None if in_source == NONE else sources[in_source],
            int(places[group]),
        )
    return found


def _regions(facts: Facts, rows: Int64s) -> tuple[Int64s, list[str]]:
    """For each call of the host an index into the names of regions, or `NONE`."""
    if all(label.kind not in _REGIONS for label in part_ranges(facts).labels):
        return np.full(len(rows), NONE, np.int64), []
    owners, slices = find_owners(facts), facts.trace.slices
    around = owners.nest.innermost(
        slices.lane[rows].astype(np.int64), slices.start_ns[rows], slices.end_of(rows)
    )
    paths = [_path(owners, node) for node in range(len(owners.parent))]
    names = [*dict.fromkeys(filter(None, paths))]
    of_node = np.array([names.index(path) if path else NONE for path in paths], np.int64)
    return np.where(around == NONE, NONE, of_node[owners.node[np.maximum(around, 0)]]), names


def _within(
    region: Int64s, regions: list[str], scopes: Int64s, names_of_scopes: tuple[tuple[str, ...], ...]
) -> tuple[Int64s, list[str]]:
    """Each region with the scopes in it that a graph replays, a column each."""
    lines, which = distinct_lines(np.column_stack([region, scopes]))
    tables = (regions, *names_of_scopes)
    names = [
        " > ".join(table[one] for table, one in zip(tables, line, strict=True) if one != NONE)
        for line in lines.tolist()
    ]
    number = {name: at for at, name in enumerate(dict.fromkeys(filter(None, names)))}
    return np.array([number.get(name, NONE) for name in names], np.int64)[which], list(number)


def _path(owners: Owners, node: int) -> str:
    """The regions around a node with its own name, outermost first; without modules."""
    found = []
    while node != NONE:
        label = owners.labels[node]
        if label is not None and label.kind in _REGIONS:
            found.append(label.name)
        node = int(owners.parent[node])
    return " > ".join(reversed(found))
