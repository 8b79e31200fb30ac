"""What is published is what Kineto wrote, whole, and the facts of the hook."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
from pathlib import Path

import pytest
from hook_facts import FACTS
from trace_samples import a_step, classic, dumped, values_of, write

from tbprof.errors import TraceError, TraceNotReadable
from tbprof.trace.export.published_trace import merge_facts, verify
from tbprof.trace.importers.kineto.reader import read_trace

FACTS_JSON = json.dumps(dataclasses.asdict(FACTS)).encode()


def test_facts_are_the_first_member_and_every_byte_is_kept(tmp_path: Path) -> None:
    content = classic(a_step() * 5000)
    raw = write(tmp_path, content)

    merge_facts(raw, tmp_path / "published.gz", FACTS_JSON)

    unpacked = gzip.decompress((tmp_path / "published.gz").read_bytes())
    assert unpacked == b'{"tbprof": ' + FACTS_JSON + b"," + content.removeprefix(b"{")
    published = read_trace(tmp_path / "published.gz")
    assert published.facts == FACTS
    assert values_of(published) == {**values_of(read_trace(raw)), "facts": FACTS}


def test_a_stream_is_left_open(tmp_path: Path) -> None:
    packed = io.BytesIO()

    merge_facts(write(tmp_path, dumped(a_step())), packed, FACTS_JSON)

    assert read_trace(write(tmp_path, packed.getvalue(), "published.gz")).facts == FACTS


@pytest.mark.parametrize("empty", [b"{}", b" {\n } \n"])
def test_facts_join_an_empty_object(tmp_path: Path, empty: bytes) -> None:
    packed = io.BytesIO()

    merge_facts(write(tmp_path, empty), packed, b'{"schema": 1}')

    assert json.loads(gzip.decompress(packed.getvalue())) == {"tbprof": {"schema": 1}}


@pytest.mark.parametrize("facts", [b"", b"[]", b'{"schema": 1', b'{"a": "\xff"}', b"null"])
def test_facts_that_are_no_object_are_left_out_and_read_as_damaged(tmp_path: Path, facts: bytes) -> None:
    merge_facts(write(tmp_path, classic(a_step())), tmp_path / "published.gz", facts)
    trace = read_trace(tmp_path / "published.gz")
    assert trace.facts is None
    assert "facts_damaged" in [fact.code for fact in trace.health]


def test_facts_need_an_object_to_join(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="it is no JSON object"):
        merge_facts(write(tmp_path, b"traceEvents"), io.BytesIO(), FACTS_JSON)


def test_a_whole_list_of_events_is_called_what_it_is(tmp_path: Path) -> None:
    """Other tools write one; no disk was full."""
    with pytest.raises(TraceError, match="is a bare list of events") as raised:
        merge_facts(write(tmp_path, json.dumps(a_step()).encode()), io.BytesIO(), FACTS_JSON)
    assert "disk" not in str(raised.value)


def test_a_source_that_grows_meanwhile_is_not_whole(tmp_path: Path) -> None:
    content = classic(a_step())
    raw = write(tmp_path, content)

    class Appending(io.BytesIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            raw.write_bytes(content + b"more")
            return super().write(data)

    with pytest.raises(TraceError, match="changed while it was copied"):
        merge_facts(raw, Appending(), FACTS_JSON)


def test_a_whole_file_passes(tmp_path: Path) -> None:
    for name, content in {"classic": classic(a_step()), "array": json.dumps(a_step()).encode()}.items():
        verify(write(tmp_path, content, name))
        verify(write(tmp_path, content, name, packed=True))


def test_real_files_pass(traces: Path) -> None:
    for path in sorted((traces / "h100_transformer_clean").iterdir()):
        verify(path)


def test_every_shorter_file_is_not_whole(tmp_path: Path) -> None:
    content = classic(a_step()).rstrip()
    cuts = [*range(0, len(content), 97), *range(len(content) - 200, len(content))]

    for cut in cuts:
        with pytest.raises(TraceError):
            verify(write(tmp_path, content[:cut]))


def test_packed_bytes_that_break_off_are_not_whole(tmp_path: Path) -> None:
    packed = gzip.compress(classic(a_step()))

    for cut in range(1, len(packed), 41):
        with pytest.raises(TraceError):
            verify(write(tmp_path, packed[:cut]))


def test_an_array_that_never_closes_is_not_whole(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="it breaks off"):
        verify(write(tmp_path, json.dumps(a_step()).encode()[:-1]))


@pytest.mark.parametrize("content", [b"", b"null", b'{"traceEvents": []}', b'{"schemaVersion": 1}'])
def test_a_file_without_events_is_not_whole(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(TraceError, match=r"w\.pt\.trace\.json"):
        verify(write(tmp_path, content))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TraceNotReadable, match=r"nowhere\.json can't be read"):
        verify(tmp_path / "nowhere.json")
