"""Files that tell of memory, as anybody may have written them."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from memory_file_scene import FAILED, FAILURE, SNAPSHOT

from tbprof.errors import Gone
from tbprof.plugin.worker import memory_documents
from tbprof.plugin.worker.memory_documents import memory_document
from tbprof.safe_open import confine, release


def test_a_snapshot_names_the_line_and_the_largest_free_block(tmp_path: Path) -> None:
    (tmp_path / "torch.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    (part,) = memory_document(str(tmp_path / "torch.pickle")).parts
    assert [(row.name, row.number, row.bytes) for row in part.rows] == [("train.py(7): main", 1, 600)]
    assert part.sentences[1].startswith("400\u202fB free, the largest block 300\u202fB (75")


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("reached",)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.pickle", pickle.dumps(Hostile()), "nothing of it was run"),
        ("a.pickle", b"\x80\x04", "is no snapshot that can be read"),
        (FAILURE, b'{"schema": 1}', "it is damaged"),
        (FAILURE, b"[" * 100_000, "it is damaged"),
        (FAILURE, b'{"schema": 9}', "another version"),
        (FAILURE, json.dumps({**FAILED, "step": "x"}).encode(), "it is damaged"),
        ("w.1.memory_step.json", b'{"schema": 1, "kinds": [1]}', "it is damaged"),
    ],
    ids=["calls", "cut", "without keys", "nested", "newer", "no number", "no step"],
)
def test_what_is_damaged_or_hostile_is_refused_in_one_sentence(
    name: str, content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    shown = memory_document(str(tmp_path / name))
    assert said in shown.headline
    assert shown.parts == ()
    assert str(tmp_path) not in shown.headline, "where it is on the server is nobody's business"
    assert not (tmp_path / "reached").exists()


def test_what_is_too_large_is_left_to_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_documents, "_MOST_BYTES", 10)
    (tmp_path / "a.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    assert "tbprof report a.pickle" in memory_document(str(tmp_path / "a.pickle")).headline


def test_a_link_out_of_the_log_directory_is_not_followed(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "private.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    (logs / "a.pickle").symlink_to(tmp_path / "private.pickle")
    confine(logs)
    try:
        with pytest.raises(Gone):
            memory_document(str(logs / "a.pickle"))
    finally:
        release(logs)
