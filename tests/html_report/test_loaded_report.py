"""`tbprof.load`: a report for a program, and for a notebook."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from pathlib import Path

import pytest
from source_scene import known_training

import tbprof
from tbprof.errors import NotATrace, UsageError
from tbprof.html_report import html_page
from tbprof.html_report.loaded_report import LoadedReport, load
from tbprof.judge.words import verdict_figures
from tbprof.model import Verdict
from tbprof.store.codec import encode_report

REPORT = known_training()
SAMPLES = Path(__file__).parents[2] / "logs" / "samples"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "w.1752215573993169006.tbprof.pb"
    path.parent.mkdir()
    path.write_bytes(encode_report(REPORT, written_by="0.1"))
    return path


def test_a_file_or_the_newest_window_of_a_folder_is_read(stored: Path) -> None:
    older = stored.with_name("w.1752215573993169005.tbprof.pb")
    older.write_bytes(encode_report(known_training(steps=2), written_by="0.1"))
    assert tbprof.load is load
    assert load(stored).report == load(str(stored.parent.parent)).report
    assert load(stored).report.sites == REPORT.sites


def test_a_trace_is_read_too() -> None:
    loaded = load(SAMPLES / "sam_amg_a100" / "amg_HEAD.json.gz", use_cache=False)
    assert "sites" in loaded.to_dict()
    assert loaded.verdict in repr(loaded)


def test_what_gives_nothing_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no trace or report"):
        load(tmp_path)
    (tmp_path / "notes.json").write_text("[]")
    with pytest.raises(NotATrace):
        load(tmp_path / "notes.json")


def test_it_says_its_verdict_in_one_line() -> None:
    text = repr(LoadedReport(REPORT))
    assert text.startswith("<tbprof report of ")
    assert "The GPU is idle" in text
    assert "\n" not in text


def test_its_figures_are_those_of_the_command_line() -> None:
    document = LoadedReport(REPORT).to_dict()
    assert json.loads(json.dumps(document))["schema"] == 1
    assert len(document["sites"]) == len(REPORT.sites)


def test_a_notebook_gets_the_verdict_and_a_page_that_reaches_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html_page, "_bundle", lambda: 'const a = "<b>";')
    shown = LoadedReport(REPORT)._repr_html_()
    assert shown.startswith("<p><b>The GPU is idle")
    [frame] = re.findall(r"<iframe ([^>]*)>", shown)
    assert 'sandbox="allow-scripts"' in frame
    page = html.unescape(re.findall(r'srcdoc="([^"]*)"', frame)[0])
    assert page == LoadedReport(REPORT).to_html()


def test_without_a_built_frontend_a_notebook_gets_the_verdict_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_page, "PACKAGE", tmp_path)
    shown = LoadedReport(REPORT)._repr_html_()
    assert "the web page is not built" in shown
    assert "<iframe" not in shown


def test_a_verdict_of_another_version_says_that_it_is() -> None:
    assert LoadedReport(dataclasses.replace(REPORT, verdict=None, ranked=None)).verdict == ""
    other = Verdict("other", verdict_figures("other", {}))
    shown = LoadedReport(dataclasses.replace(REPORT, verdict=other, ranked=None)).verdict
    assert shown == "What is said first of this window was decided by another version of tbprof."
