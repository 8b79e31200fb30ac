"""`tbprof report --format html`: one page with everything inside."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import zlib
from pathlib import Path
from statistics import median_high as median
from typing import Any

import pytest
from job_scenes import job_of

from tbprof.cli.main import main
from tbprof.errors import UsageError
from tbprof.html_report import html_page as module
from tbprof.html_report import html_page as pages
from tbprof.html_report.embedded_timeline import MOST_BYTES, embedded_timeline
from tbprof.html_report.html_page import html_page
from tbprof.html_report.page_windows import choose_windows
from tbprof.model import Report, Window
from tbprof.report import build_report, open_timeline
from tbprof.store.codec import encode_report
from tbprof.store.report_cache import window_of_report

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"
SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(SAMPLE)


@pytest.fixture(autouse=True)
def bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page holds beside its data is the built frontend's; here a program that must survive."""
    monkeypatch.setattr(module, "_bundle", lambda: 'const a = "\u2264 \U0001f600 </script>";')


def page_of(report: Report) -> str:
    return html_page(choose_windows([(window_of_report(report), report)], most=1))


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="tbprof-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_page_carries_its_window_and_the_rules(report: Report) -> None:
    data = data_of(page_of(report))
    assert set(data) == {"runs", "windows", "ranks", "jobs", "trends", "rules", "manual"}
    [window] = data["windows"]
    assert set(window) == {
        "run",
        "worker",
        "window",
        "answer",
        "source",
        "findings",
        "checks",
        "timeline",
        "tables",
    }
    assert window["answer"]["state"] == "ready"
    assert len(window["answer"]["window"]["sites"]) == len(report.sites)


def test_of_several_ranks_it_carries_their_job() -> None:
    windows = [
        (
            Window("run", f"node_{at}_rank{at}", f"node_{at}_rank{at}.1", 1, None, f"{at}.tbprof.pb", 1),
            one.report(),
        )
        for at, one in enumerate(job_of(3))
    ]
    [job] = data_of(html_page(choose_windows(windows, most=3), timelines=0))["jobs"]
    assert (job["run"], job["number"]) == ("run", 1)
    assert "rank 1, which is late by" in job["view"]["page"]["verdict"]


def test_it_carries_the_step_of_median_length_within_its_bytes() -> None:
    path = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
    carried = embedded_timeline(open_timeline(path))
    assert carried is not None
    assert carried["about"].startswith("This page carries ProfilerStep#")
    assert sum(map(len, carried["tiles"].values())) <= MOST_BYTES
    content = json.loads(zlib.decompress(base64.b64decode(carried["data"])))
    [step] = content["view"]["steps"]
    assert step["duration_ns"] == median(one.duration_ns for one in build_report(path).steps if not one.cold)
    assert f"{content['view']['highest_level']}/0" in carried["tiles"]
    assert {f"episode/{one['number']}" for one in content["step"]["episodes"]} <= content["selections"].keys()
    assert {one["step"] for one in content["selections"].values()} <= {0, None}


def test_a_trace_that_is_gone_costs_the_timeline_alone(tmp_path: Path, report: Report) -> None:
    gone = dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=str(tmp_path / "x.json")))
    [window] = data_of(page_of(gone))["windows"]
    assert (window["timeline"], window["answer"]["state"]) == (None, "ready")


def test_the_page_is_ascii_and_asks_nobody(report: Report) -> None:
    page = page_of(report)
    assert page.isascii()
    assert "default-src 'none'" in page
    assert re.findall(r'(?:src|href)="', page) == []


def test_the_program_survives(report: Report) -> None:
    assert 'const a = "\\u2264 \\u{1f600} <\\/script>";' in page_of(report)


def test_no_name_of_a_trace_can_end_the_data(report: Report) -> None:
    evil = "</script><script>alert(1)</script>"
    site = dataclasses.replace(report.sites[0], label=evil)
    trace = dataclasses.replace(report.trace, path=f"/x/{evil}\u8bad.json", worker=evil)
    page = page_of(dataclasses.replace(report, trace=trace, sites=(site, *report.sites[1:])))
    assert page.count("<script") == 2
    assert evil in json.dumps(data_of(page))


def test_a_folder_is_one_page_of_its_windows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, report: Report
) -> None:
    for run in ("b", "a"):
        (tmp_path / run).mkdir()
        stored = encode_report(report, written_by="0.1")
        (tmp_path / run / f"w.17522155739931690{ord(run)}.tbprof.pb").write_bytes(stored)
    assert main(["report", str(tmp_path), "--format", "html"]) == 0
    data = data_of(capsys.readouterr().out)
    assert [run["run"] for run in data["runs"]["runs"]] == [window["run"] for window in data["windows"]]
    assert [window["run"] for window in data["windows"]] == ["a", "b"]
    monkeypatch.setattr(pages, "MOST_WINDOWS", 1)
    assert main(["report", str(tmp_path), "--format", "html"]) == 0
    printed = capsys.readouterr()
    assert [window["run"] for window in data_of(printed.out)["windows"]] == ["b"]
    assert "This page holds 1 of 2 windows" in printed.err


def test_the_run_of_a_folder_is_named_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], report: Report
) -> None:
    run = tmp_path / "resnet50"
    run.mkdir()
    (run / "w.1752215573993169006.tbprof.pb").write_bytes(encode_report(report, written_by="0.1"))
    assert main(["report", str(run), "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert [listed["run"] for listed in data_of(page)["runs"]["runs"]] == ["resnet50"]
    assert "<title>resnet50</title>" in page


def test_without_a_built_frontend_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, report: Report
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    with pytest.raises(UsageError, match="the web page is not built"):
        page_of(report)
