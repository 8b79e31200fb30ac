"""Files are told by their first bytes, whatever their names, and read by the importer of their format."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from minimal_importer import Spans
from trace_samples import HEAD, a_step, classic, dumped, write

from tbprof.errors import NotATrace
from tbprof.report import build_report
from tbprof.trace.importers import sniffing, torch_profiler
from tbprof.trace.importers.sniffing import claims_to_be_trace, looks_like_trace
from tbprof.trace.reading import read_trace


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        classic(a_step()),
        dumped(a_step(), separators=(",", ":")),
        dumped(a_step(), indent=2, events_first=True),
        json.dumps(a_step()).encode(),
        b"\xef\xbb\xbf" + classic(a_step()),
        classic(a_step(), head={**HEAD, "pg_config": ["x" * 80_000]}),
        classic(a_step())[:500],
    ],
    ids=["classic", "minified", "events first", "array", "byte order mark", "late events", "broken off"],
)
def test_heads_of_traces(tmp_path: Path, content: bytes, packed: bool) -> None:
    assert looks_like_trace(write(tmp_path, content, "any.name", packed=packed))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>404</html>",
        b"[1, 2, 3]",
        b'[{"name": "a", "id": 3}]',
        b'{"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json"}',
        b'{"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": 1, "name": "x"}]}',
        b"\x1f\x8b damaged at once",
        gzip.compress(b"no trace", mtime=0),
        bytes(range(256)),
    ],
)
def test_heads_of_other_files(tmp_path: Path, content: bytes) -> None:
    assert not looks_like_trace(write(tmp_path, content))


def test_what_is_no_file_is_no_trace(tmp_path: Path) -> None:
    assert not looks_like_trace(tmp_path)
    assert not looks_like_trace(tmp_path / "missing.json")
    assert not looks_like_trace(f"{tmp_path}/nul\0byte")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")

    assert not looks_like_trace(tmp_path / "pipe.json")


def test_only_the_head_is_unpacked(tmp_path: Path) -> None:
    bomb = write(tmp_path, b'{"schemaVersion": 1, "pad": "' + b"x" * 50_000_000, packed=True)

    assert not looks_like_trace(bomb)


def test_real_files(traces: Path) -> None:
    found = sorted(path for path in traces.glob("*/*.gz") if path.parent.name != "malformed")

    assert [path for path in found if not looks_like_trace(path)] == []
    assert len(found) > 30
    assert not looks_like_trace(traces / "malformed" / "chakra_not_kineto.json")
    assert not looks_like_trace(traces / "dlrm_v100_8rank" / "ground_truth.json")


def test_a_published_trace_is_known_however_long_its_facts_are(tmp_path: Path) -> None:
    path = tmp_path / "w.trace.json.gz"
    facts = {"tbprof": {"audit": "x" * 200_000}}
    path.write_bytes(gzip.compress(json.dumps({**facts, "schemaVersion": 1, "traceEvents": []}).encode()))
    assert looks_like_trace(path)


def test_another_format_is_read_by_its_importer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sniffing, "IMPORTERS", (torch_profiler, Spans()))
    spans, kineto = tmp_path / "a.csv", write(tmp_path, classic(a_step()))
    spans.write_text("name,start,end\naten::mm,1,9\naten::add,12,15\n", encoding="utf-8")

    assert looks_like_trace(spans)
    assert claims_to_be_trace("a.spans.csv")
    assert read_trace(spans).names == ("aten::mm", "aten::add")
    assert read_trace(spans).health == ()
    spans.write_bytes(gzip.compress(spans.read_bytes())[:-1])
    assert [fact.code for fact in read_trace(spans).health] == ["truncated"]
    assert read_trace(spans).slices.end_ns.tolist() == [9_000, 15_000]
    assert len(read_trace(kineto).slices) == 8


def test_a_report_of_another_format_says_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sniffing, "IMPORTERS", (torch_profiler, Spans()))
    spans = tmp_path / "a.csv"
    spans.write_text("name,start,end\naten::mm,1,9\n", encoding="utf-8")

    report = build_report(spans)

    assert (report.trace.span_ns, report.trace.era, report.idle) == (8_000, "", None)


def test_what_no_importer_knows_is_refused_by_the_first(tmp_path: Path) -> None:
    with pytest.raises(NotATrace, match="traceEvents"):
        read_trace(write(tmp_path, b'{"a": [1, 2]}'))


def test_a_name_can_claim_what_the_bytes_deny() -> None:
    assert claims_to_be_trace("w.1000.pt.trace.json.gz")
    assert not claims_to_be_trace("settings.json")
