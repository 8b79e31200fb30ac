"""The ranges of a trace that are a program's parts: modules, the optimizer, compiled regions, CUDA graphs."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.attribution.annotations import module_rows
from tbprof.analysis.facts import Facts
from tbprof.analysis.modules.labels import PartLabel, part_label
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct_places
from tbprof.trace.columns.columns import Category, Trace

_OPTIMIZER = r"Optimizer\.(?:step|zero_grad)#"
_COMPILED = (r"Torch-Compiled Region", r"## Call CompiledFxGraph ", r"CompiledFunction\Z")
"""Each stands for compiled code in files that lack those before it."""
_GRAPH_LAUNCH = r"(?:cuda|hip|cu)GraphLaunch"
_ON_HOST = (Category.CPU_OP, Category.USER_ANNOTATION)


@dataclass(frozen=True, slots=True, eq=False)
class PartRanges:
    rows: Int64s
    """Of the trace, ascending."""
    key: Int64s
    """Of each an index into `labels`."""
    labels: tuple[PartLabel, ...]


def part_ranges(facts: Facts) -> PartRanges:
    """Of any thread."""
    trace = facts.trace
    named = np.concatenate(
        [module_rows(trace), matching_rows(trace, _OPTIMIZER, *_ON_HOST), _compiled_rows(trace)]
    )
    names, key = distinct_places(trace.slices.name[named])
    labels = [part_label(trace.names[name]) for name in names.tolist()]
    graphs, graph_key, graph_labels = _graphs(facts)
    rows = np.concatenate([named, graphs])
    keys = np.concatenate([key.reshape(-1), len(labels) + graph_key])
    order = np.argsort(rows, kind="stable")
    return PartRanges(rows[order], keys[order], (*labels, *graph_labels))


def _compiled_rows(trace: Trace) -> Int64s:
    found = (matching_rows(trace, pattern, *_ON_HOST) for pattern in _COMPILED)
    return next((rows for rows in found if len(rows)), np.empty(0, np.int64))


def _graphs(facts: Facts) -> tuple[Int64s, Int64s, list[PartLabel]]:
    """Calls that launched a CUDA graph, by the graph's number, else by how many kernels it has."""
    trace, work = facts.trace, facts.work
    calls = matching_rows(trace, _GRAPH_LAUNCH, Category.RUNTIME)
    if len(calls) == 0:
        return calls, calls, []
    at = np.searchsorted(calls, work.launch)
    mine = np.flatnonzero((work.launch != NONE) & (calls[np.minimum(at, len(calls) - 1)] == work.launch))
    count = np.bincount(at[mine], minlength=len(calls))
    number = np.full(len(calls), NONE, np.int64)
    if trace.kernels is not None:
        number[at[mine]] = trace.kernels.graph.at(work.rows[mine])
    texts = [
        f"CUDA graph {one}" if one != NONE else f"CUDA graph of {size} {'kernel' if size == 1 else 'kernels'}"
        for one, size in zip(number.tolist(), count.tolist(), strict=True)
    ]
    names = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    return (
        calls,
        np.array([names[text] for text in texts], np.int64),
        [PartLabel("graph", text, "") for text in names],
    )
