"""Where in the program the kernels of CUDA graphs come from, as was noted while the graph was recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.device_work import DeviceWork
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct_places, is_among
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import GraphColumns


@dataclass(frozen=True, slots=True, eq=False)
class GraphPlaces:
    """One entry for each of `DeviceWork`: an index, or `NONE` where no graph replays it or none is noted."""

    label: Int64s
    labels: tuple[str, ...]
    """`mark_kernels("mlp")`, and the backward of it for what autograd ran; so of modules."""
    module: Int64s
    modules: tuple[str, ...]
    source: Int64s
    sources: tuple[Source, ...]
    """The user's innermost frame."""

    def __bool__(self) -> bool:
        return bool(self.labels or self.modules or self.sources)


def find_graph_places(trace: Trace, work: DeviceWork) -> GraphPlaces:
    """The places of all work of the trace."""
    nowhere = np.full(len(work.rows), NONE, np.int64)
    graphs = trace.graphs
    if graphs is None or not (_scopes(graphs) or len(trace.launch_stack.rows)):
        return GraphPlaces(nowhere, (), nowhere, (), nowhere, ())
    rows = np.where(is_among(work.rows, graphs.nodes), work.rows, NONE)
    label = nowhere
    for column in (graphs.graph_name, graphs.graph_text, graphs.graph_annotation):
        label = np.where(label == NONE, column.at(rows), label)
    phase = graphs.graph_phase.at(rows)
    stack, number = distinct_places(trace.launch_stack.at(rows))
    sources: dict[Source, int] = {}
    of_stack = [_source_number(trace, one, sources) for one in stack.tolist()]
    return GraphPlaces(
        *_named(trace, label, phase, 'mark_kernels("{}")'),
        *_named(trace, graphs.graph_module.at(rows), phase, "{}"),
        np.array(of_stack, np.int64)[number],
        tuple(sources),
    )


def _scopes(graphs: GraphColumns) -> bool:
    """Whether any row has a scope: those of few traces do."""
    columns = (graphs.graph_name, graphs.graph_text, graphs.graph_annotation, graphs.graph_module)
    return any(len(column.rows) for column in columns)


def _source_number(trace: Trace, stack: int, sources: dict[Source, int]) -> int:
    frames = () if stack == NONE else trace.names[stack].split(";")
    own = next(filter(None, (parse_frame(frame, exact=True) for frame in frames)), None)
    return NONE if own is None else sources.setdefault(own, len(sources))


def _named(trace: Trace, name: Int64s, phase: Int64s, form: str) -> tuple[Int64s, tuple[str, ...]]:
    """The name of each with that of its phase; equal ones are one."""
    pairs, which = np.unique(np.stack([name, phase], axis=1), axis=0, return_inverse=True)
    texts = [
        "" if one == NONE else _of_phase(form.format(trace.names[one]), phase, trace.names)
        for one, phase in pairs.tolist()
    ]
    names = {text: at for at, text in enumerate(dict.fromkeys(filter(None, texts)))}
    return np.array([names.get(text, NONE) for text in texts], np.int64)[which.reshape(-1)], tuple(names)


def _of_phase(scope: str, phase: int, names: Sequence[str]) -> str:
    return scope if phase == NONE else f"the {names[phase]} of {scope}"


def graph_place(places: GraphPlaces, at: Int64s, length_ns: Int64s) -> str:
    """The scope and the line that at least half of the time of this work comes from; "" where none is.

    Args:
        places: Of all work.
        at: Positions in it.
        length_ns: How long each of these took.
    """
    label = _commonest(places.label[at], length_ns)
    module = _commonest(places.module[at], length_ns) if label is None else None
    source = _commonest(places.source[at], length_ns)
    named = [] if label is None else [places.labels[label]]
    named += [] if module is None else [f"module {places.modules[module]}"]
    named += [] if source is None else [_line(places.sources[source])]
    return ", ".join(named)


def _line(source: Source) -> str:
    file = source.file.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{source.line} {source.function}"


def _commonest(numbers: Int64s, length_ns: Int64s) -> int | None:
    known = numbers != NONE
    if not known.any():
        return None
    spent = np.bincount(numbers[known], length_ns[known])
    most = int(spent.argmax())
    return most if 2 * spent[most] >= length_ns.sum() else None
