"""The same trace, whoever wrote it and whatever the file is called, is the same report."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trace_samples import HEAD, TAIL, Json, a_step, classic, dumped, values_of, write

from tbprof.analysis.facts import FACTS_TABLES
from tbprof.model import Report
from tbprof.report import build_report, report_of
from tbprof.trace.importers.kineto.reader import read_trace

SAMPLES = Path(__file__).parents[4] / "logs" / "samples"


def members(fields: Json, indent: str) -> str:
    """The members of an object, one a line."""
    return ",\n".join(f"{indent}{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())


def key_a_line(events: Sequence[Json]) -> bytes:
    """As torch 2.13 writes it: what the file says of itself first, one key of an event a line."""
    rows = []
    for event in events:
        row = members({key: value for key, value in event.items() if key != "args"}, "    ")
        if "args" in event:
            row += f',\n    "args": {{\n{members(event["args"], "      ")}\n    }}'
        rows.append(f"{{\n{row}\n  }}")
    before, array = members({**HEAD, **TAIL}, "  "), ",\n  ".join(rows)
    return f'{{\n{before},\n  "traceEvents": [\n    \n  {array}\n  ],"traceName": "w"\n}}\n'.encode()


LAYOUTS = {
    "Kineto's": classic,
    "torch 2.13's": key_a_line,
    "minified": lambda events: dumped(events, separators=(",", ":")),
    "indented": lambda events: dumped(events, indent=2),
    "events first": lambda events: dumped(events, events_first=True),
    "with a mark of its encoding": lambda events: b"\xef\xbb\xbf" + dumped(events),
    "not in ASCII only": lambda events: dumped(events, ensure_ascii=False),
}
NAMES = [
    "node-1_77.1752215573993169006.pt.trace.json",
    "profile_0.json",
    "rank0_trace.json",
    "iteration_10/rank3_trace.json",
    "r0-2026-11-20-10-08.1752215573993169006.pt.trace.json.gz",
    "libkineto_activities_1102.json",
    "trace",
    "a b 100%.json",
    "训练_0.pt.trace.json.gz",
    "x" * 200,
]


def said_by(report: Report) -> Report:
    """The report but for where the file lies and what was odd about its text."""
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path="", worker="", health=()))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_the_same_trace(tmp_path: Path, layout: str) -> None:
    events = [
        {**event, "name": event["name"] + "训练"} if event["ph"] == "X" else event for event in a_step()
    ]
    expected = values_of(read_trace(write(tmp_path, classic(events))))

    trace = read_trace(write(tmp_path, LAYOUTS[layout](events), "again.json"))

    assert values_of(trace) == expected
    assert trace.health == ()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("packed", [False, True])
def test_the_name_says_nothing(tmp_path: Path, name: str, packed: bool) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)

    trace = read_trace(path := write(tmp_path, classic(a_step()), name, packed=packed))

    assert len(trace.slices) == 8
    assert trace.path == str(path)


def test_of_a_key_that_is_there_twice_the_last_counts(tmp_path: Path) -> None:
    content = classic(a_step()).replace(
        b'  "schemaVersion": 1,', b'  "schemaVersion": 1,\n  "distributedInfo": {"rank": 7},'
    )

    assert read_trace(write(tmp_path, content)).rank == 3


def document_of(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(gzip.decompress((SAMPLES / name).read_bytes()))
    return document


DOCUMENT = document_of("h100_bert_small_infer/h100_bert_small.json.gz")
BERT = DOCUMENT["traceEvents"]


@pytest.mark.slow
@given(
    layout=st.sampled_from(sorted(LAYOUTS)),
    chunk_bytes=st.sampled_from([4096, 5000, 65536, 1 << 20, 8 << 20]),
    packed=st.booleans(),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_report_depends_on_neither_layout_nor_chunks(
    tmp_path: Path, layout: str, chunk_bytes: int, packed: bool
) -> None:
    expected = build_report(write(tmp_path, classic(BERT), "classic.json"))

    path = write(tmp_path, LAYOUTS[layout](BERT), "again.json", packed=packed)

    again = read_trace(path, tables=FACTS_TABLES, chunk_bytes=chunk_bytes)
    assert said_by(report_of(again)) == said_by(expected)
    assert expected.sites


MEMBERS = sorted(DOCUMENT.keys() - {"traceEvents"})
LABELS = [event for event in BERT if event["ph"] == "M"]
OTHERS = [event for event in BERT if event["ph"] != "M"]


@pytest.mark.slow
@given(
    order=st.permutations([*MEMBERS, "traceEvents"]),
    labels_at=st.integers(0, len(OTHERS)),
    indent=st.sampled_from([None, 1, 4]),
    chunk_bytes=st.integers(4096, 8 << 20),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_report_does_not_depend_on_where_metadata_stands(
    tmp_path: Path, order: list[str], labels_at: int, indent: int | None, chunk_bytes: int
) -> None:
    expected = build_report(write(tmp_path, json.dumps(DOCUMENT).encode(), "whole.json"))
    events = [*OTHERS[:labels_at], *LABELS, *OTHERS[labels_at:]]
    moved = {key: {**DOCUMENT, "traceEvents": events}[key] for key in order}

    path = write(tmp_path, json.dumps(moved, indent=indent).encode(), "moved.json")

    again = read_trace(path, tables=FACTS_TABLES, chunk_bytes=chunk_bytes)
    assert said_by(report_of(again)) == said_by(expected)
