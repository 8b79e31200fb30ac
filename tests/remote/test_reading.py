"""Files of remote folders are listed in one go, read once, and never as a mixture of two versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from faulty_store import FaultyStore

from tbprof.errors import Busy, RemoteError
from tbprof.remote import placeholders
from tbprof.remote.placeholders import addressed
from tbprof.safe_open import identity_of, open_regular
from tbprof.store import mirroring
from tbprof.store.discovery import Discovery
from tbprof.store.mirroring import mirror

TRACE = "run/w.1700000000000000000.trace.json.gz"


def _never(_: str) -> bool:
    raise AssertionError("nothing remote is opened to be listed")


def _listed(folder: Path) -> list[str]:
    return [f"{window.run}/{window.window}" for window in Discovery(folder, _never).find().windows]


def _read(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.readall()


def _reset(_: bytes) -> bytes:
    raise ConnectionResetError("Connection reset by peer")


def test_a_folder_is_listed_by_one_question_and_a_file_read_once(address: str) -> None:
    for run in range(20):
        FaultyStore.put(f"{address}/{run}/{TRACE}", b"x" * run)
    FaultyStore.put(f"{address}/notes.txt", b"")
    before = FaultyStore.listings
    folder = mirror(address).folder
    assert (len(_listed(folder)), FaultyStore.listings - before) == (20, 1)
    before = FaultyStore.reads
    path = folder / "7" / TRACE
    assert [_read(path), _read(path), FaultyStore.reads - before] == [b"x" * 7, b"x" * 7, 1]
    assert addressed(str(path)) == f"{address}/7/{TRACE}"


@pytest.mark.parametrize("fault", [_reset, lambda data: data[:-1], lambda data: data + b"more"])
def test_a_fault_is_overcome_and_a_lasting_one_is_for_another_time(
    address: str, fault: Callable[[bytes], bytes]
) -> None:
    FaultyStore.put(f"{address}/{TRACE}", b"whole")
    path = mirror(address).folder / TRACE
    FaultyStore.faults.extend([fault] * 3)
    with pytest.raises(Busy, match=r"trace.json.gz can't be read now .*: check the network, and try again"):
        _read(path)
    assert _read(path) == b"whole"
    assert not list(path.parents[3].rglob("*.part"))


def test_pieces_of_two_versions_are_never_put_together(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placeholders, "PIECE_BYTES", 4)
    FaultyStore.put(f"{address}/{TRACE}", b"old old ")
    path = mirror(address).folder / TRACE
    before = identity_of(path)

    def replaced(data: bytes) -> bytes:
        FaultyStore.put(f"{address}/{TRACE}", b"new new ")
        return data

    FaultyStore.faults.append(replaced)
    with pytest.raises(Busy, match="was replaced while it was read"):
        _read(path)
    mirror(address)
    assert (_read(path), identity_of(path) != before) == (b"new new ", True)


def test_what_is_hostile_or_gone_has_no_placeholder(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = ["a//b", "x\x00y", "x\ny", "n" * 300, "/".join("d" * 40), "/etc"]
    hidden = ["../up", "./a", ".hidden", "a/.b"]
    names = tuple(f"{name}/w.trace.json" for name in (*hostile, *hidden, "good"))
    monkeypatch.setattr(FaultyStore, "named", names)
    found = mirror(address)
    assert _listed(found.folder) == ["good/w.trace.json"]
    assert len(found.skipped) == len(hostile)
    assert [path.parent.name for path in tmp_path.rglob("*.json")] == ["good"]
    monkeypatch.setattr(FaultyStore, "named", ())
    assert (_listed(mirror(address).folder), list(found.folder.iterdir())) == ([], [])


def test_the_cache_stays_within_its_limit(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placeholders, "MAX_CACHE_BYTES", 250)
    monkeypatch.setattr(placeholders, "MAX_FILE_BYTES", 150)
    for run, size in {"a": 100, "b": 100, "c": 100, "huge": 151}.items():
        FaultyStore.put(f"{address}/{run}/w.trace.json", bytes(size))
    folder = mirror(address).folder
    for run in ("a", "b", "c"):
        _read(folder / run / "w.trace.json")
    kept = sum(file.stat().st_size for file in (folder.parents[1] / "remote-content").iterdir())
    assert 0 < kept <= 250
    with pytest.raises(OSError, match="it holds more than"):
        _read(folder / "huge" / "w.trace.json")


def test_of_too_many_names_some_are_listed(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirroring, "MOST_FILES", 3)
    for run in range(5):
        FaultyStore.put(f"{address}/{run}/w.trace.json", b"{}")
    found = mirror(address)
    assert (len(_listed(found.folder)), [file.path for file in found.skipped]) == (3, [address])


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("gs://bucket/run", r"can't be read without gs's package: pip install 'tbprof\[gs\]'"),
        ("s3://bucket/../other", "names no folder"),
        ("simplecache::s3://bucket", "names no folder"),
        ("memory://", "names no folder"),
        ("nosuch://bucket", "can't be read"),
    ],
)
def test_an_address_that_can_not_be_used_is_one_sentence(
    address: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "gcsfs" else object())
    with pytest.raises(RemoteError, match=sentence):
        mirror(address)
