"""What a chunk is expected to hold changes nothing of what is read: only how long it takes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_samples import classic, complete, rows_of, write

from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.importers.kineto.events.batch import Batch
from tbprof.trace.importers.kineto.events.chunks import Chunk
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.reader import read_trace

CHUNK_BYTES = 2048

PLACES = ((1, 1), (1, 2), ("1", "1"), (0, 7), (-1, "stream 7"), (2**63, 1), (2**64, 2**70), (True, False))
"""Threads of a process, streams, numbers that no 64 bits hold, and truth values; 1 and "1" are the same."""

ARGS: dict[str, dict[str, Any]] = {
    "cpu_op": {"Input Dims": [[2, 3]], "Sequence number": 4},
    "python_function": {"Python id": 3},
    "kernel": {"correlation": 3, "device": 0, "stream": 7},
}

LEFT_OUT = {"without a category": "cat", "without a phase": "ph", "without a thread": "tid"}
"""Frames that lack what all others have."""


def allocation(place: tuple[Any, Any], bytes_: int, name: str = "[memory]") -> dict[str, Any]:
    args = {"Total Reserved": 2, "Total Allocated": 1, "Bytes": bytes_, "Addr": 5, "Device Id": 0}
    return {"ph": "i", "name": name, "pid": place[0], "tid": place[1], "ts": 5.5, "args": args}


def rows(kind: str, place: tuple[Any, Any], count: int) -> list[dict[str, Any]]:
    """As many events of this kind on this thread."""
    process, thread = place
    if kind == "memory":
        return [allocation(place, at) for at in range(count)]
    if kind == "another instant":
        return [allocation(place, at, "an instant") for at in range(count)]
    if kind == "label":
        label = {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": "main"}}
        return [label] * count
    if kind in LEFT_OUT:
        whole = rows("python_function", place, count)
        return [{key: value for key, value in event.items() if key != LEFT_OUT[kind]} for event in whole]
    if kind == "collective":
        named = {"Collective name": "allreduce", "In msg nelems": 3}
        return [complete("c10d", 4.5, 1, "cpu_op", process, thread, **named)] * count
    return [
        complete(f"{kind} {at % 3}", at + 0.25, 1, kind, process, thread, **ARGS[kind]) for at in range(count)
    ]


STRETCHES = st.lists(
    st.tuples(
        st.sampled_from((*ARGS, *LEFT_OUT, "memory", "another instant", "label", "collective")),
        st.sampled_from(PLACES),
        st.integers(1, 60),
    ),
    min_size=1,
    max_size=8,
)


def everything(trace: Trace) -> tuple[Any, ...]:
    memory, collectives = trace.memory, trace.collectives
    assert memory is not None
    assert collectives is not None
    allocations = zip(memory.bytes.tolist(), memory.time_ns.tolist(), memory.lane.tolist(), strict=True)
    return (
        rows_of(trace),
        [(*row, trace.lanes[lane]) for *row, lane in allocations],
        [trace.names[name] for name in trace.input_shapes.values.tolist()],
        trace.input_shapes.rows.tolist(),
        collectives.in_message_elements.rows.tolist(),
        trace.num_events,
        [(fact.code, fact.numbers) for fact in trace.health],
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(STRETCHES)
def test_a_file_in_chunks_is_the_file_in_one(stretches: list[tuple[str, tuple[Any, Any], int]]) -> None:
    events = [complete("first", 0, 1), *(event for stretch in stretches for event in rows(*stretch))]
    with TemporaryDirectory() as folder:
        path = write(Path(folder), classic(events * 3))

        in_chunks = read_trace(path, tables=ALL_TABLES, chunk_bytes=CHUNK_BYTES)

        whole = read_trace(path, tables=ALL_TABLES, chunk_bytes=1 << 27)
    assert everything(in_chunks) == everything(whole)


@pytest.mark.parametrize("kind", ["cpu_op", "python_function", "memory"])
def test_rows_of_one_thread_are_decoded_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with_places, decode = [], Decoder.decode

    def counted(decoder: Decoder, chunk: Chunk) -> Batch:
        with_places.append(chunk)
        return decode(decoder, chunk)

    monkeypatch.setattr(Decoder, "decode", counted)
    path = write(tmp_path, classic([complete("first", 0, 1), *rows(kind, (1, 1), 2000)]))

    trace = read_trace(path, tables=ALL_TABLES, chunk_bytes=CHUNK_BYTES)

    assert trace.num_events == 2001
    # The first, which tells what follows, one of another kind behind it, and the last, which has no end.
    assert len(with_places) <= 3


@pytest.mark.parametrize(
    ("kind", "place", "column", "own"),
    [
        ("python_function", (1, 2), 5, "2"),
        ("without a category", (1, 1), 3, Category.OTHER),
        ("cpu_op", (1, 1), 3, Category.CPU_OP),
    ],
)
def test_the_one_row_that_differs_keeps_what_is_its_own(
    tmp_path: Path, kind: str, place: tuple[int, int], column: int, own: object
) -> None:
    many = rows("python_function", (1, 1), 400)
    path = write(tmp_path, classic([*many, *rows(kind, place, 1), *many]))

    of_rows = [row[column] for row in rows_of(read_trace(path, chunk_bytes=CHUNK_BYTES))]

    assert of_rows.index(own) == 400
    assert of_rows.count(own) == 1


@pytest.mark.parametrize("left_out", LEFT_OUT)
@pytest.mark.parametrize("kind", ["python_function", "cpu_op"])
def test_a_row_that_lacks_something_is_read_as_in_a_file_of_one_chunk(
    tmp_path: Path, kind: str, left_out: str
) -> None:
    many = rows(kind, (1, 1), 400)
    path = write(tmp_path, classic([*many, *rows(left_out, (1, 1), 1), *many]))

    in_chunks = read_trace(path, tables=ALL_TABLES, chunk_bytes=CHUNK_BYTES)

    assert everything(in_chunks) == everything(read_trace(path, tables=ALL_TABLES, chunk_bytes=1 << 27))
