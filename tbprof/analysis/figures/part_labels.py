"""The parts of a step, by the ranges that torch and the program have put around them."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.attribution.annotations import module_rows
from tbprof.analysis.calls import GRAPH_LAUNCH
from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.model import ProgramPartKind
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct_places
from tbprof.trace.columns.columns import Category, Trace


@dataclass(frozen=True, slots=True)
class PartLabel:
    """One part of a program."""

    kind: ProgramPartKind
    name: str
    """Unique: `Linear_3`, or the path `GPT.layers.3.up` where the hook marked the modules."""
    class_name: str
    """"" of a part that has none."""


LOSS = PartLabel("loss", "loss", "")
"""Operators after the modules of a step for which autograd runs something: the loss as a function.

With what lies between these, the modules and `backward()`: masks, targets.
"""

COMMUNICATION = PartLabel("communication", "communication", "")
"""Collectives that no module's own forward pass launched, such as the buckets of DistributedDataParallel."""

BEFORE = PartLabel("before", "before the modules", "")
"""The part from the begin of a step, a backward pass or the optimizer to the next module: the batch is
prepared."""

BETWEEN = PartLabel("between", "between the modules", "")
"""The part from one outermost module to the next: what several models, or their calls, hand on."""

GRADIENTS = PartLabel("gradients", "between backward and optimizer", "")
"""Gradients are clipped."""

AFTER = PartLabel("after", "after the modules", "")
"""The part from the last module to the end of a step: metrics, averages of weights, results of inference."""

_MARK = re.compile(r"nn\.Module: (?P<name>.+) \((?P<type>[^()]+)\)")

_FRAME = re.compile(r"nn\.Module: (?P<name>(?P<type>.+?)(?:_\d+)?)")

_OPTIMIZER_RANGE = re.compile(r"Optimizer\.\w+#(?P<name>.+)")

_GRAPH = re.compile(r"## Call CompiledFxGraph (?P<hash>\w{8})\w* ##")

_LOSS = re.compile(r"loss|criterion", re.IGNORECASE)


def part_label(text: str) -> PartLabel:
    """The label of the name of a range that `part_ranges` finds."""
    module = _MARK.fullmatch(text) or _FRAME.fullmatch(text)
    if module is not None:
        return PartLabel("module", module["name"], module["type"])
    optimizer = _OPTIMIZER_RANGE.fullmatch(text)
    if optimizer is not None:
        return PartLabel("optimizer", optimizer["name"], "")
    graph = _GRAPH.fullmatch(text)
    return PartLabel("compiled", text if graph is None else f"compiled graph {graph['hash']}", "")


def is_loss(label: PartLabel) -> bool:
    """Whether a module that lies in no other one computes the loss, by the name of its class."""
    return label.kind == "module" and _LOSS.search(label.class_name) is not None


_OPTIMIZER = r"Optimizer\.(?:step|zero_grad)#"

_COMPILED = (r"Torch-Compiled Region", r"## Call CompiledFxGraph ", r"CompiledFunction\Z")
"""Each stands for compiled code in files that lack those before it."""


_ON_HOST = (Category.CPU_OP, Category.USER_ANNOTATION)


@dataclass(frozen=True, slots=True, eq=False)
class PartRanges:
    rows: Int64s
    """Rows of the trace, ascending."""
    key: Int64s
    """An index into `labels` for each row."""
    labels: tuple[PartLabel, ...]


def part_ranges(facts: Facts) -> PartRanges:
    """The ranges of parts on any thread."""
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
    calls = matching_rows(trace, GRAPH_LAUNCH, Category.RUNTIME)
    if len(calls) == 0:
        return calls, calls, []
    at = np.searchsorted(calls, work.launch)
    mine = np.flatnonzero((work.launch != NONE) & (calls[np.minimum(at, len(calls) - 1)] == work.launch))
    count = np.bincount(at[mine], minlength=len(calls))
    number = np.full(len(calls), NONE, np.int64)
    if trace.kernels is not None and trace.graphs is not None:
        number[at[mine]] = trace.graphs.graph.at(work.rows[mine])
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
