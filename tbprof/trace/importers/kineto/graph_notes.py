"""What torch has written of the nodes of CUDA graphs beside the trace, joined to what was replayed.

A node has a number: that of its graph in the upper 32 bits, its own in the lower ones. Kineto writes it as
`graph node id`, other recorders the lower half alone beside `graph id`. What the rows say themselves is kept.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tbprof.errors import SnapshotError, TraceError
from tbprof.model import HealthFact, HealthSeverity
from tbprof.plain_pickle import read_plain_pickle
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import (
    NONE,
    Int32s,
    Int64s,
    SparseColumn,
    distinct,
    find_sorted,
    is_among,
)
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import GraphColumns
from tbprof.trace.importers.graph_files import graph_files
from tbprof.trace.importers.source import open_source

_MOST_BYTES = 256 * 1000**2
_HALF = 32
_NUMBER = re.compile(rb'\s*\{\s*"\d{1,20}"\s*:|\s*\{\s*\}')
"""How the JSON of numbers of nodes begins."""
_PICKLES = (".pkl", ".pickle")
_FRAME = re.compile(r"(?P<file>.+):(?P<line>\d+):(?P<function>[^:\n]+)")
_NO_SCOPE = frozenset({"stream", "autograd_phase"})
_KEYS = {"name": "graph_name", "str": "graph_text", "module_fqn": "graph_module"}
_PHASE, _STACK = "graph_phase", "launch_stack"
_TEXTS = (*_KEYS.values(), "graph_annotation", _PHASE, _STACK)
_Note = Mapping[str, str]
"""What is known of a node: texts by the name of their column."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    notes: Mapping[int, _Note]
    """What is known, by number of the node."""


def with_graph_notes(trace: Trace) -> Trace:
    """The trace with what the files beside it say, and each row on the stream that it ran on."""
    graphs = trace.graphs
    if graphs is None or not len(graphs.nodes):
        return trace
    if len(graphs.original_stream.rows):
        trace = replace(trace, stream=_replaced(trace.stream, graphs.original_stream))
    trace = _with_lists_read(trace)
    for file in graph_files(trace.path):
        try:
            read = _read(file)
        except (SnapshotError, TraceError, ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, SnapshotError) else type(error).__name__
            numbers: dict[str, int | float | str] = {"name": file.name, "reason": reason}
            unread = HealthFact("graph_notes_unread", "warning", numbers)
            trace = replace(trace, health=(*trace.health, unread))
        else:
            trace = trace if read is None else _joined(trace, read)
    return trace


def _joined(trace: Trace, file: _File) -> Trace:
    assert trace.graphs is not None, "only asked of a trace that has them"
    rows = trace.graphs.nodes
    numbers = _numbers(trace.graphs, rows)
    hits = int(is_among(numbers, list(file.notes)).sum())
    severity: HealthSeverity = "info" if hits else "warning"
    counts: dict[str, int | float | str] = {"name": file.name, "rows": hits, "of": len(rows)}
    trace = _with_notes(trace, rows, numbers, file.notes)
    return replace(trace, health=(*trace.health, HealthFact("graph_notes_joined", severity, counts)))


def _with_notes(trace: Trace, rows: Int32s, keys: Int64s, notes: Mapping[int, _Note]) -> Trace:
    """The trace with the notes of rows by the key of each; what it has itself is kept."""
    assert trace.graphs is not None, "only asked of a trace that has them"
    known = np.array(sorted(notes), np.int64)
    at, hit = find_sorted(known, keys)
    added: dict[str, int] = {}
    columns = {name: getattr(trace.graphs, name, trace.launch_stack) for name in _TEXTS}
    for name in columns:
        texts = [notes[key].get(name, "") for key in known.tolist()]
        numbers = [added.setdefault(text, len(trace.names) + len(added)) if text else NONE for text in texts]
        given = np.where(hit, np.array([*numbers, NONE], np.int64)[np.where(hit, at, -1)], NONE)
        columns[name] = _replaced(SparseColumn(rows, given, NONE), columns[name])
    names, stack = (*trace.names, *added), columns.pop(_STACK)
    return replace(trace, names=names, launch_stack=stack, graphs=replace(trace.graphs, **columns))


def _with_lists_read(trace: Trace) -> Trace:
    """The trace with annotations that stand in a row as the JSON of a list read like those beside it."""
    assert trace.graphs is not None, "only asked of a trace that has them"
    column = trace.graphs.graph_annotation
    notes = {}
    for value in distinct(column.values).tolist():
        with contextlib.suppress(ValueError, RecursionError):
            if trace.names[value].startswith(("[", "{")):
                notes[value] = _scope(json.loads(trace.names[value]))
    if not notes:
        return trace
    keys = column.values.astype(np.int64)
    kept = ~is_among(keys, list(notes))
    others = SparseColumn(column.rows[kept], column.values[kept], NONE)
    trace = replace(trace, graphs=replace(trace.graphs, graph_annotation=others))
    return _with_notes(trace, column.rows, keys, notes)


def _numbers(graphs: GraphColumns, rows: Int32s) -> Int64s:
    """The whole number of the node of each of these rows."""
    own, graph = graphs.graph_node.at(rows), graphs.graph.at(rows)
    is_half = (own >> _HALF == 0) & (graph > 0)
    return np.where(is_half, (graph << _HALF) | own, own)


def _replaced(column: SparseColumn, by: SparseColumn) -> SparseColumn:
    """The column with the values of another one where that has any."""
    rows = np.union1d(column.rows, by.rows).astype(np.int32)
    values = np.where(by.at(rows) == by.missing, column.at(rows), by.at(rows))
    known = values != column.missing
    return SparseColumn(rows[known], values[known].astype(np.int32), column.missing)


def _read(path: Path) -> _File | None:
    """What a file says; None of one that has another content, whatever its name.

    Raises:
        SnapshotError: It is a pickle with more than plain values.
        TraceError: It can't be read, or is too large.
        ValueError: It is damaged.
    """
    content = _content(path)
    if path.suffix in _PICKLES:
        found = read_plain_pickle(content)
    elif _NUMBER.match(content):
        found = json.loads(content)
    else:
        return None
    if not isinstance(found, dict):
        raise ValueError(path)
    return _File(path.name, dict(_notes(found)))


def _content(path: Path) -> bytes:
    with open_source(path, _MOST_BYTES) as source:
        pieces, buffer = [], memoryview(bytearray(1 << 16))
        while count := source.readinto(buffer):
            pieces.append(bytes(buffer[:count]))
    return b"".join(pieces)


def _notes(found: Mapping[Any, Any]) -> Iterable[tuple[int, _Note]]:
    for key, value in found.items():
        with contextlib.suppress(ValueError):
            number = int(key)
            if 0 < number < 1 << 63:
                yield number, _stack(value) if isinstance(value, str) else _scope(value)


def _stack(text: str) -> _Note:
    """`file:line:function`, one frame a line, as other stacks are written."""
    frames = filter(None, map(_FRAME.fullmatch, text.split("\n")))
    return {_STACK: ";".join(f"{frame['file']}({frame['line']}): {frame['function']}" for frame in frames)}


def _scope(value: Any) -> _Note:
    """An annotation, or a list of them of which the later ones win, as where torch joins them."""
    note: dict[str, str] = {}
    for one in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(one, dict):
            note["graph_annotation"] = _plain(one)
            continue
        fields = {str(key): _plain(given) for key, given in one.items()}
        note |= {column: fields[key] for key, column in _KEYS.items() if key in fields}
        note |= {_PHASE: fields["autograd_phase"]} if "autograd_phase" in fields else {}
        others = [f"{key}={text}" for key, text in fields.items() if key not in _NO_SCOPE and text]
        if not _KEYS.keys() & fields.keys() and others:
            note["graph_annotation"] = ", ".join(others)
    return note


def _plain(value: Any) -> str:
    """The text of what has a short one: a pickle can mean one list many times."""
    return str(value) if isinstance(value, str | int | float) else ""
