"""What a remote folder can't take now waits on this machine, whole, and goes there later."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty_store import FaultyStore

from tbprof.errors import Busy, RemoteError
from tbprof.remote import outbox as outboxes
from tbprof.remote.outbox import make_outbox, outbox_of, send, waiting_files


@pytest.fixture
def outbox(tmp_path: Path, address: str) -> Path:
    folder = outbox_of(tmp_path / "spool", address)
    make_outbox(folder)
    for name in ("w.1.trace.json.gz", "w.1.tbprof.pb", "tbprof/events", ".w.part"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return folder


def test_reports_go_first_and_nothing_stays(outbox: Path, address: str) -> None:
    assert [path.name for path in waiting_files(outbox)] == ["w.1.tbprof.pb", "events", "w.1.trace.json.gz"]
    assert send(outbox, address, patience_s=0) == 3
    assert FaultyStore().cat_file(f"{address}/tbprof/events") == b"tbprof/events"
    assert waiting_files(outbox) == []
    assert (outbox / ".w.part").exists(), "somebody is writing it"


def test_a_store_that_is_away_for_a_while_is_waited_for(
    outbox: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(outboxes.time, "sleep", pauses.append)
    FaultyStore.failing_writes = 7
    assert send(outbox, address, patience_s=1000) == 3
    assert pauses == [1, 2, 4, 8, 15, 15, 15]


def test_a_store_that_stays_away_gets_it_the_next_time(outbox: Path, address: str) -> None:
    FaultyStore.failing_writes = 10**9
    with pytest.raises(Busy, match=r"can't be written to now .*: check the network, and try again"):
        send(outbox, address, patience_s=0)
    FaultyStore.failing_writes = 0
    assert send(outbox, address, patience_s=0) == 3


def test_where_nobody_may_write_nothing_is_tried_again(
    outbox: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("Access Denied")

    monkeypatch.setattr(FaultyStore, "put_file", refuse)
    with pytest.raises(RemoteError, match=r"\(Access Denied\): check your credentials for faulty"):
        send(outbox, address, patience_s=1000)
    assert len(waiting_files(outbox)) == 3
