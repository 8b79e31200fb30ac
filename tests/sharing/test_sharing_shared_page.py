"""`tbprof report --format html`: one page with everything inside."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from command_line import SAMPLES

from tbprof.cli import shared_page as module
from tbprof.cli.main import main
from tbprof.cli.shared_page import shared_page
from tbprof.errors import UsageError
from tbprof.model import Report
from tbprof.report import build_report

SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(SAMPLE)


@pytest.fixture(autouse=True)
def bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page holds beside its data is the built frontend's; here a program that must survive."""
    monkeypatch.setattr(module, "_bundle", lambda: 'const a = "\u2264 \U0001f600 </script>";')


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="tbprof-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


def test_the_page_carries_its_window_and_the_rules(report: Report) -> None:
    data = data_of(shared_page(report))
    assert set(data) == {"runs", "window", "source", "findings", "rules"}
    window = data["window"]
    assert isinstance(window, dict)
    assert window["state"] == "ready"
    assert len(window["window"]["sites"]) == len(report.sites)


def test_the_page_is_ascii_and_asks_nobody(report: Report) -> None:
    page = shared_page(report)
    assert page.isascii()
    assert "default-src 'none'" in page
    assert re.findall(r'(?:src|href)="', page) == []


def test_the_program_survives(report: Report) -> None:
    assert 'const a = "\\u2264 \\u{1f600} <\\/script>";' in shared_page(report)


def test_no_name_of_a_trace_can_end_the_data(report: Report) -> None:
    evil = "</script><script>alert(1)</script>"
    site = dataclasses.replace(report.sites[0], label=evil)
    trace = dataclasses.replace(report.trace, path=f"/x/{evil}\u8bad.json", worker=evil)
    page = shared_page(dataclasses.replace(report, trace=trace, sites=(site, *report.sites[1:])))
    assert page.count("<script") == 2
    assert evil in json.dumps(data_of(page))


def test_a_folder_has_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path), "--format", "html"]) == 2
    assert "takes one trace or report" in capsys.readouterr().err


def test_without_a_built_frontend_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: Report
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(module.tbprof, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(UsageError, match="the web page is not built"):
        shared_page(report)
