"""The code of a window and its findings as text, asked through TensorBoard's own application."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from source_scene import TRAIN, known_training

from tbprof.store.codec import encode_report

OpenTab = Callable[..., Any]
PLACE = {"run": "run", "worker": "w", "window": "w.1752215573993169006.tbprof.pb"}


@pytest.fixture
def known(tmp_path: Path) -> str:
    """A log directory with a stored report and no trace."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / "w.1752215573993169006.tbprof.pb").write_bytes(encode_report(known_training(), written_by="0.1"))
    return str(tmp_path / "logs")


def test_the_code_comes_from_the_report_and_not_from_a_disk(
    open_tab: OpenTab, known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text("something else")
    monkeypatch.chdir(tmp_path)
    answer = open_tab(known).get("source", **PLACE).json
    assert answer["state"] == "ready"
    [file] = [file for file in answer["source"]["files"] if file["path"] == "train.py"]
    assert file["code"][0]["lines"] == TRAIN.splitlines()


def test_a_window_that_gives_nothing_says_why(open_tab: OpenTab, known: str) -> None:
    (Path(known) / "run" / "w.1752215573993169006.tbprof.pb").write_bytes(b"no report")
    answer = open_tab(known).get("source", **PLACE).json
    assert (answer["state"], answer["source"]) == ("broken", None)
    assert answer["problem"]["what"]


def test_a_trace_that_is_being_read_has_no_code_yet(open_tab: OpenTab, logdir: Path) -> None:
    place = {"run": "run", "worker": "w", "window": "w.1752215573993169006.pt.trace.json.gz"}
    tab = open_tab(str(logdir))
    assert tab.get("source", **place).json == {"state": "reading", "source": None, "problem": None}
    assert tab.get("finding", **place, finding="0").status_code == 503


def test_a_finding_is_given_as_text_by_its_fingerprint(open_tab: OpenTab, known: str) -> None:
    tab = open_tab(known)
    for finding in known_training().findings:
        answer = tab.get("finding", **PLACE, finding=finding.fingerprint).json
        assert answer["fingerprint"] == finding.fingerprint
        assert answer["markdown"].startswith(f"### {finding.rule} ")


@pytest.mark.parametrize("route", ["source", "finding"])
def test_what_is_not_there_is_said_to_be_missing(open_tab: OpenTab, known: str, route: str) -> None:
    tab = open_tab(known)
    assert tab.get(route, run="run", worker="w", window="other").status_code == 404
    assert tab.get("finding", **PLACE, finding="0").status_code == 404
