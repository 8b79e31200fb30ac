"""Files beside the windows that tell of memory, asked through TensorBoard's own application."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memory_file_scene import FAILED, FAILURE, SNAPSHOT
from source_scene import known_training

from tbprof.store.codec import encode_report

OpenTab = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a report."""
    folder = tmp_path / "logs" / "run"
    folder.mkdir(parents=True)
    window = folder / "w.1752215573993169006.tbprof.pb"
    window.write_bytes(encode_report(known_training(), written_by="0.1"))
    return folder


def asked(open_tab: OpenTab, run: Path, name: str) -> Any:
    return open_tab(str(run.parent)).get("memory_file", run="run", name=name)


def test_a_failure_comes_first_and_says_what_would_free_memory(open_tab: OpenTab, run: Path) -> None:
    (run / "before.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    (run / FAILURE).write_text(json.dumps(FAILED))
    (run / ".hidden.pickle").write_bytes(b"")
    listed = open_tab(str(run.parent)).get("memory_files", run="run").json["files"]
    assert [(file["name"], file["is_failure"]) for file in listed] == [
        (FAILURE, True),
        ("before.pickle", False),
    ]
    shown = asked(open_tab, run, FAILURE).json
    assert shown["headline"] == "2.0\u202fGB of GPU 0 could not be allocated, after 3 steps."
    first, held, largest, raised = shown["parts"]
    assert any("checkpointing" in point for point in first["points"])
    assert sum(row["bytes"] for row in held["rows"]) == 60_000_000_000
    assert largest["rows"][0]["number"] == 3
    assert raised["points"] == ["/home/ada/train.py:12 main"]


def test_a_run_that_failed_before_its_first_window_is_there(open_tab: OpenTab, tmp_path: Path) -> None:
    (tmp_path / "logs" / "failed").mkdir(parents=True)
    (tmp_path / "logs" / "failed" / FAILURE).write_text(json.dumps(FAILED))
    tab = open_tab(str(tmp_path / "logs"))
    runs = tab.runs()
    assert (runs["runs"], runs["without_windows"], runs["newest_run"]) == ([], ["failed"], "failed")
    assert [file["name"] for file in tab.get("memory_files", run="failed").json["files"]] == [FAILURE]
    assert "could not be allocated" in tab.get("memory_file", run="failed", name=FAILURE).json["headline"]
    assert tab.get("memory_files", run="other").status_code == 404
    assert tab.plugin.is_active()


@pytest.mark.parametrize("name", ["../secret.pickle", "w.1752215573993169006.tbprof.pb", "", "gone.pickle"])
def test_a_name_that_was_not_listed_opens_nothing(open_tab: OpenTab, run: Path, name: str) -> None:
    (run.parent / "secret.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    assert asked(open_tab, run, name).status_code == 404
