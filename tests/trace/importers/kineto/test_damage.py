"""Files that were made to harm, or that change while they are read: one sentence, or what is whole."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bombs import BOMBS, MB, OPEN, pack, pieces
from trace_samples import a_step, classic, complete, health_numbers, rows_of, values_of, write

from tbprof.errors import NotATrace, TraceError, TraceNotReadable
from tbprof.trace.importers.kineto.events.chunks import MAX_SKIPPED_BYTES
from tbprof.trace.importers.kineto.reader import read_trace

REFUSED = ("NotATrace", "TraceTooLarge")
READ = """
import resource, sys
from tbprof.errors import TraceError
from tbprof.trace.importers.kineto.reader import read_trace
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    said = [fact.code for fact in read_trace(sys.argv[1]).health]
except TraceError as error:
    said = type(error).__name__
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, said)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted otherwise there")
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_unpacks_to_a_giant_takes_little_memory(tmp_path: Path, name: str) -> None:
    path = pack(pieces(*BOMBS[name], size_mb=300), tmp_path / "bomb.json.gz")

    read = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
    ).stdout

    grown_mb, _, said = read.partition(" ")
    assert int(grown_mb) < 120
    assert said.strip() in REFUSED or "truncated" in said or "metadata_damaged" in said


def half_damaged(folder: Path, lost: int, intact: int) -> Path:
    """A file with so many events of each kind."""
    whole = json.dumps(complete("a", 1, 1)).encode() + b","
    return write(folder, b'{"traceEvents": [' + whole * intact + b'{"ph":"X"},' * lost)


def test_a_file_that_is_damaged_for_the_most_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotATrace, match="damaged for the most part: 50,001 events have no number as"):
        read_trace(half_damaged(tmp_path, lost=50_001, intact=50_000))


@pytest.mark.parametrize(("lost", "intact"), [(50_001, 50_001), (50_000, 1)])
def test_half_of_a_large_file_or_a_small_one_may_be_damaged(tmp_path: Path, lost: int, intact: int) -> None:
    assert len(read_trace(half_damaged(tmp_path, lost, intact)).slices) == intact


def test_nothing_is_looked_for_behind_too_much_that_is_no_event(tmp_path: Path) -> None:
    first, *others = a_step()
    whole = classic([first, *others, complete("HERE", 1, 1)])
    front, behind = whole.split(b"HERE")
    path = tmp_path / "w.json.gz"
    with gzip.open(path, "wb", 1) as file:
        file.writelines(pieces(front, b"x", MAX_SKIPPED_BYTES // MB + 16))
        file.write(behind)

    trace = read_trace(path, max_bytes=2 * MAX_SKIPPED_BYTES)

    assert len(trace.slices) == 8
    unpacked_bytes = health_numbers(trace)["truncated"]["unpacked_bytes"]
    assert MAX_SKIPPED_BYTES < unpacked_bytes < MAX_SKIPPED_BYTES + 16 * MB
    assert health_numbers(trace)["events_dropped"]["too_long"] == 1


@pytest.mark.parametrize("noise", [b",", b"[", b"x"])
def test_an_event_in_front_of_much_that_is_no_event_is_kept(tmp_path: Path, noise: bytes) -> None:
    path = pack(pieces(OPEN, noise, 12), tmp_path / "w.json.gz")

    trace = read_trace(path)

    assert [row[:3] for row in rows_of(trace)] == [(1000, 1000, "first")]
    assert health_numbers(trace)["events_dropped"] == {"dropped": 1, "too_long": 1}


def test_a_string_of_100_mb_costs_its_event(tmp_path: Path) -> None:
    front, behind = classic([*a_step(), complete("HERE", 1, 1), *a_step()]).split(b"HERE")
    path = tmp_path / "w.json.gz"
    with gzip.open(path, "wb", 1) as file:
        file.writelines(pieces(front, b"x", 100))
        file.write(behind)

    trace = read_trace(path)

    assert len(trace.slices) == 16
    assert health_numbers(trace)["events_dropped"] == {"dropped": 1, "too_long": 1}


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_grows_while_it_is_read(tmp_path: Path, packed: bool) -> None:
    whole = classic([{**event, "ts": event["ts"] + 1000 * step} for step in range(400) for event in a_step()])
    written = gzip.compress(whole, 1) if packed else whole
    path = write(tmp_path, written[: len(written) // 10])

    def grow(*_: int) -> None:
        held = path.stat().st_size
        with path.open("ab") as file:
            file.write(written[held : held + 900])

    trace = read_trace(path, chunk_bytes=4096, progress=grow)

    assert rows_of(trace) == rows_of(read_trace(write(tmp_path, whole, "whole.json")))[: len(trace.slices)]
    assert len(trace.slices) >= 8


def test_bytes_of_a_name_that_are_no_text(tmp_path: Path) -> None:
    content = classic(a_step()).replace(b"aten::mul", b"aten::\xff\xfe")

    trace = read_trace(write(tmp_path, content))

    assert "aten::\ufffd\ufffd" in trace.names
    assert health_numbers(trace) == {"text_repaired": {"repaired": 1}}


def test_of_a_file_that_lost_events_its_repaired_text_does_not_say_that_none_was(tmp_path: Path) -> None:
    content = classic([*a_step(), {**a_step()[0], "ts": "soon"}]).replace(b"aten::mul", b"aten::\xff\xfe")

    found = health_numbers(read_trace(write(tmp_path, content)))

    assert found["events_dropped"]["dropped"] == 1
    assert found["text_repaired"]["lost"] == 1


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    whole = classic(a_step() * 40)
    path = write(tmp_path, whole)

    trace = read_trace(path, chunk_bytes=4096, progress=lambda *_: os.truncate(path, 10_000))

    assert rows_of(trace) == rows_of(read_trace(write(tmp_path, whole, "whole.json")))[: len(trace.slices)]
    assert "truncated" in health_numbers(trace)


@pytest.mark.skipif(os.name == "nt", reason="an open file can't be replaced there")
def test_a_file_that_is_replaced_by_a_link_while_it_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, classic(a_step() * 40))
    expected = values_of(read_trace(path))
    other = write(tmp_path, classic([complete("secret", 1, 1)]), "other.json")

    def replace(*_: int) -> None:
        path.unlink()
        path.symlink_to(other)

    assert values_of(read_trace(path, chunk_bytes=4096, progress=replace)) == expected


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("target", [".", "nowhere", "/dev/zero", "w.json"])
def test_a_link_to_what_is_no_file(tmp_path: Path, target: str) -> None:
    link = tmp_path / "w.json"
    link.symlink_to(target)

    with pytest.raises(TraceNotReadable, match=r"w\.json .*\.$"):
        read_trace(link)


@pytest.mark.parametrize("size", [0, 1, 2, 9, 10, 11, 30])
def test_a_gzip_file_that_breaks_off_at_once(tmp_path: Path, size: int) -> None:
    packed = gzip.compress(classic(a_step()))[:size]

    with pytest.raises(TraceError, match=r"w\.pt\.trace\.json .*\.$"):
        read_trace(write(tmp_path, packed))
