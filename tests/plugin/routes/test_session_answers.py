"""The session of a project, as the tab shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tbprof.cli.main import main
from tbprof.session_file import Session, note_result, session_beside

OpenTab = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, sample: Path) -> Path:
    """A folder with a log directory of one window."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / sample.name).write_bytes(sample.read_bytes())
    return tmp_path


def test_notes_come_the_newest_first(open_tab: OpenTab, project: Path) -> None:
    tab = open_tab(str(project / "logs"))
    assert not tab.runs()["has_session"]
    assert tab.get("session").status_code == 404
    session = Session(project)
    for kind, text in (("proposal", "defer the read"), ("proof", "proved"), ("accept", "it wins")):
        session.add(kind, text, by="agent")
    assert tab.runs()["has_session"]
    shown = tab.get("session").json
    assert shown["verdict"] == "1 proposal, 1 accepted and 0 rejected."
    assert [(note["kind"], note["text"]) for note in shown["notes"]] == [
        ("accept", "it wins"),
        ("proof", "proved"),
        ("proposal", "defer the read"),
    ]


def test_a_session_in_the_log_directory_comes_first(project: Path) -> None:
    for folder, text in ((project, "around"), (project / "logs", "within")):
        Session(folder).add("question", text, by="person")
    found = session_beside(project / "logs")
    assert found is not None
    assert [note.text for note in found.notes()] == ["within"]


def test_lines_that_are_no_notes_are_left_out(open_tab: OpenTab, project: Path) -> None:
    Session(project).add("question", "why \x1b[31mred\x07?", by="person")
    file = project / ".tbprof" / "session.jsonl"
    odd = ["[", "[1]", "{}", json.dumps({"at": 1, "by": {}, "kind": None, "text": ["<script>"]})]
    odd.append(json.dumps({"at": "", "by": "", "kind": "proof", "text": "", "code": 3}))
    file.write_bytes(file.read_bytes() + "\n".join(odd).encode() + b"\n\xff\n")
    shown = open_tab(str(project / "logs")).get("session").json["notes"]
    assert len(shown) == 2
    assert "\x1b" not in shown[1]["text"]
    file.write_bytes(b"x" * (2 << 20))
    assert open_tab(str(project / "logs")).get("session").status_code == 400


def test_a_long_session_shows_its_newest_notes(open_tab: OpenTab, project: Path) -> None:
    session = Session(project)
    for number in range(503):
        session.add("question", str(number), by="person")
    shown = open_tab(str(project / "logs")).get("session").json
    assert shown["detail"] == "3 older notes not shown."
    assert (len(shown["notes"]), shown["notes"][0]["text"]) == (500, "502")


def test_a_result_is_noted_where_a_session_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    note_result("proof", "proved")
    assert list(tmp_path.iterdir()) == []
    Session(tmp_path).add("question", "why", by="person")
    note_result("proof", "proved", ["loss.item()"])
    assert [(note.by, note.text, note.code) for note in Session(tmp_path).notes()] == [
        ("person", "why", ()),
        ("tbprof", "proved", ("loss.item()",)),
    ]


def test_a_note_that_says_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", str(tmp_path), "--add", "accept", "--text", " "]) == 2
    assert "--add accept says nothing: give --text" in capsys.readouterr().err
    assert main(["session", str(tmp_path), "--add", "accept", "--text", "it wins", "--by", "agent"]) == 0
    assert "accept      agent: it wins" in capsys.readouterr().out
