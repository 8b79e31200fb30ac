"""Files found by chance: told by their first bytes, whatever their names."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from trace_samples import HEAD, a_step, classic, dumped, write

from tbprof.trace.importers.kineto.sniff import looks_like_trace


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
