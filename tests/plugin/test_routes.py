"""The routes, asked through TensorBoard's own application."""

from __future__ import annotations

import gzip
import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from timeouts import PATIENCE_S

import tbprof
from tbprof.report import build_report
from tbprof.store import report_pb2
from tbprof.store.codec import encode_report
from tbprof.store.discovery import Discovery, Listing

WINDOW = "w.1752215573993169006.pt.trace.json.gz"
PLACE = {"run": "run", "worker": "w", "window": WINDOW}
OpenTab = Callable[..., Any]


def test_runs_lists_what_is_there(open_tab: OpenTab, logdir: Path) -> None:
    runs = open_tab(str(logdir)).runs()
    size = (logdir / "run" / WINDOW).stat().st_size
    assert runs == {
        "logdir": str(logdir),
        "tbprof_version": tbprof.__version__,
        "has_session": False,
        "runs": [
            {
                "run": "run",
                "family": "run",
                "workers": [
                    {
                        "worker": "w",
                        "rank": None,
                        "windows": [{"window": WINDOW, "has_report": False, "size_bytes": size}],
                    }
                ],
            }
        ],
        "without_windows": [],
        "newest_run": "run",
        "skipped": [],
        "next_page": None,
        "version": runs["version"],
    }


def test_the_tab_is_there_once_there_is_a_window(open_tab: OpenTab, logdir: Path, tmp_path: Path) -> None:
    assert open_tab(str(logdir)).plugin.is_active()
    (tmp_path / "empty").mkdir()
    assert not open_tab(str(tmp_path / "empty")).plugin.is_active()
    assert not open_tab(str(tmp_path / "missing")).plugin.is_active()
    assert open_tab(str(tmp_path / "missing")).runs()["runs"] == []


def test_nothing_is_started_until_the_tab_is_opened(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    tab.plugin.is_active()
    tab.get("rule", code="SYN01")
    assert tab.plugin.worker_pids() == ()


def test_an_open_tab_has_who_reads_the_first_report_that_comes(open_tab: OpenTab, tmp_path: Path) -> None:
    tab = open_tab(str(tmp_path / "empty"))
    assert tab.runs()["runs"] == []
    [pid] = tab.plugin.worker_pids()
    tab.runs()
    assert tab.plugin.worker_pids() == (pid,)


def test_a_trace_without_a_report_is_read_and_then_shown(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    first = tab.get("window", **PLACE).json
    assert first["state"] == "reading"
    assert first["window"] is None
    assert first["progress"]["total_bytes"] == (logdir / "run" / WINDOW).stat().st_size
    assert first["progress"]["ahead"] == 0
    answer = tab.window(**PLACE)
    assert answer["state"] == "ready"
    assert (answer["progress"], answer["problem"]) == (None, None)
    assert answer["window"]["sync_points"]["count"] == 0
    assert len(answer["window"]["steps"]) == 3


def test_a_published_report_is_shown_at_once(open_tab: OpenTab, logdir: Path) -> None:
    trace = logdir / "run" / WINDOW
    stored = encode_report(build_report(trace), written_by="0.1")
    (logdir / "run" / "w.1752215573993169006.tbprof.pb").write_bytes(stored)
    tab = open_tab(str(logdir))
    assert tab.get("window", **PLACE).json["state"] == "ready"
    trace.unlink()
    alone = {**PLACE, "window": "w.1752215573993169006.tbprof.pb"}
    assert open_tab(str(logdir)).get("window", **alone).json["state"] == "ready"


def test_a_report_of_a_later_version_says_so(open_tab: OpenTab, logdir: Path) -> None:
    later = report_pb2.Envelope(schema=99, written_by="9.0").SerializeToString()
    (logdir / "run" / "later.1752215573993169006.tbprof.pb").write_bytes(later)
    answer = open_tab(str(logdir)).window("run", "later", "later.1752215573993169006.tbprof.pb")
    assert answer["state"] == "broken"
    assert "newer than this viewer" in answer["problem"]["title"]
    assert "tbprof 9.0" in answer["problem"]["what"]
    assert "Upgrade" in answer["problem"]["what_to_do"]


def test_a_trace_is_read_where_a_later_version_wrote_its_report(open_tab: OpenTab, logdir: Path) -> None:
    later = report_pb2.Envelope(schema=99, written_by="9.0").SerializeToString()
    (logdir / "run" / "w.1752215573993169006.tbprof.pb").write_bytes(later)
    answer = open_tab(str(logdir)).window(**PLACE)
    assert answer["state"] == "ready"
    [health] = [row for row in answer["window"]["health"] if row["code"] == "report_of_later_version"]
    assert "Upgrade tbprof" in health["message"]


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"no trace", b"\x1f\x8b\x08", b'{"traceEvents": []}'])
def test_a_broken_file_costs_itself_and_says_what_is_wrong(
    open_tab: OpenTab, logdir: Path, content: bytes
) -> None:
    (logdir / "run" / "x.pt.trace.json").write_bytes(content)
    tab = open_tab(str(logdir))
    broken = tab.window("run", "x", "x.pt.trace.json")
    assert broken["state"] == "broken"
    assert broken["window"] is None
    problem = broken["problem"]
    assert problem["title"] == "x.pt.trace.json can't be shown"
    assert problem["path"] == "run/x.pt.trace.json"
    assert problem["what"].startswith("run/x.pt.trace.json")
    assert str(logdir) not in problem["what"]
    assert "\n" not in problem["what"]
    assert tab.window(**PLACE)["state"] == "ready"


def test_a_file_that_changed_is_read_anew(open_tab: OpenTab, logdir: Path, sample: Path) -> None:
    path = logdir / "run" / "x.pt.trace.json.gz"
    path.write_bytes(sample.read_bytes()[:1000])
    tab = open_tab(str(logdir))
    half = tab.window("run", "x", "x.pt.trace.json.gz")
    path.write_bytes(sample.read_bytes())
    whole = tab.window("run", "x", "x.pt.trace.json.gz")
    assert whole["state"] == "ready"
    assert whole != half


@pytest.mark.parametrize(
    "place",
    [
        {},
        {**PLACE, "run": "other"},
        {**PLACE, "worker": "other"},
        {**PLACE, "window": "other"},
        {"window": WINDOW},
    ],
)
def test_an_unknown_window_is_not_found(open_tab: OpenTab, logdir: Path, place: dict[str, str]) -> None:
    answer = open_tab(str(logdir)).get("window", **place)
    assert answer.status_code == 404
    assert "no such window" in answer.json["error"]


def test_a_window_that_vanished_is_not_found(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    tab.runs()
    (logdir / "run" / WINDOW).unlink()
    answer = tab.get("window", **PLACE)
    assert answer.status_code == 404
    assert "gone or can't be read" in answer.json["error"]


def test_a_full_queue_is_busy_and_nothing_is_missing(
    open_tab: OpenTab, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.plugin.worker.pool.MAX_WAITING", 0)
    tab = open_tab(str(logdir))
    refused = tab.get("window", **PLACE)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert "try again" in refused.json["error"]
    assert tab.get("source", **PLACE).json["state"] == "reading"
    [row] = tab.get("trend", run="run", worker="w").json["rows"]
    assert row["state"] == "reading"


def test_code_of_a_trace_that_is_gone_is_not_being_read(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    tab.runs()
    (logdir / "run" / WINDOW).unlink()
    answer = tab.get("source", **PLACE).json
    assert answer["state"] == "broken"
    assert "gone or can't be read" in answer["problem"]["what"]


def test_a_rule_has_its_page_and_an_unknown_one_none(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    page = tab.get("rule", code="SYN01").json
    assert (page["code"], page["name"]) == ("SYN01", "scalar-readback")
    assert page["sections"][0]["title"] == "What"
    for code in ("", "SYN99", "<script>"):
        answer = tab.get("rule", code=code)
        assert answer.status_code == 400
        assert repr(code) in answer.json["error"]


def test_two_named_log_directories_are_shown_together(
    open_tab: OpenTab, tmp_path: Path, sample: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "run").mkdir(parents=True)
        (tmp_path / name / "run" / WINDOW).write_bytes(sample.read_bytes())
    (tmp_path / "b" / WINDOW).write_bytes(sample.read_bytes())
    tab = open_tab("", logdir_spec=f"first:{tmp_path / 'a'},second:{tmp_path / 'b'}")
    assert [run["run"] for run in tab.runs()["runs"]] == ["first/run", "second", "second/run"]
    assert tab.window("second", "w", WINDOW)["state"] == "ready"


def test_log_directories_are_told_apart_as_tensorboard_does(
    open_tab: OpenTab, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.remote.address.missing_package", lambda _: "'tbprof[gs]'")
    for name in ("a", "b", "with:colon"):
        (tmp_path / name / name[0]).mkdir(parents=True)
        (tmp_path / name / name[0] / WINDOW).write_bytes(sample.read_bytes())
    spec = f"{tmp_path / 'a'},{tmp_path / 'b'},{tmp_path / 'with:colon'},gs://bucket/logs,n:gs://bucket/logs"
    runs = open_tab("", logdir_spec=spec).runs()
    assert [run["run"] for run in runs["runs"]] == ["a", "b", "w"]
    assert [row["path"] for row in runs["skipped"]] == ["gs://bucket/logs"] * 2
    assert "pip install 'tbprof[gs]'" in runs["skipped"][0]["reason"]


def test_markup_in_names_stays_text(open_tab: OpenTab, tmp_path: Path, sample: Path) -> None:
    markup = "<img src=x onerror=alert(1)>"
    trace = json.loads(gzip.decompress(sample.read_bytes()))
    trace["deviceProperties"][0]["name"] = markup
    for event in trace["traceEvents"]:
        if event.get("name", "").startswith("ProfilerStep#"):
            event["name"] += markup
    run = tmp_path / "logs" / markup
    run.mkdir(parents=True)
    (run / f"{markup}.pt.trace.json").write_text(json.dumps(trace), encoding="utf-8")
    tab = open_tab(str(tmp_path / "logs"))
    response = tab.get("runs")
    assert response.mimetype == "application/json"
    [row] = response.json["runs"]
    assert (row["run"], row["workers"][0]["worker"]) == (markup, markup)
    shown = tab.window(markup, markup, f"{markup}.pt.trace.json")["window"]
    assert shown["devices"] == [markup]
    assert all(step["name"].endswith(markup) for step in shown["steps"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_that_is_no_utf8_is_left_out_with_the_reason(
    open_tab: OpenTab, logdir: Path, sample: Path
) -> None:
    run = logdir / os.fsdecode(b"run\xff")
    run.mkdir()
    (run / WINDOW).write_bytes(sample.read_bytes())
    (logdir / "run" / os.fsdecode(b"w\xff.json.gz")).write_bytes(sample.read_bytes())
    runs = open_tab(str(logdir)).runs()
    assert [row["run"] for row in runs["runs"]] == ["run"]
    assert len(runs["runs"][0]["workers"]) == 1
    assert [row["reason"] for row in runs["skipped"]] == ["its name is not UTF-8: rename it"] * 2


def forbid(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("route", ["runs", "rule?code=SYN01", "rule?code=no", "window?run=no", "index.js"])
def test_every_answer_passes_tensorboards_own_security_checks(
    open_tab: OpenTab, logdir: Path, route: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        response = open_tab(str(logdir)).client.get(f"/data/plugin/tbprof/{route}")
    assert caplog.records == []
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    if response.mimetype == "application/json":
        json.loads(response.get_data(), parse_constant=forbid)


@pytest.mark.parametrize(
    "name",
    ["h100_bert_small_infer/h100_bert_small.json.gz", "mi300_bert_small_infer/mi300_bert_small.json.gz"],
)
def test_a_window_is_json_without_nan(open_tab: OpenTab, tmp_path: Path, sample: Path, name: str) -> None:
    trace = sample.parents[1] / name
    (tmp_path / trace.name).write_bytes(trace.read_bytes())
    tab = open_tab(str(tmp_path))
    worker = tab.runs()["runs"][0]["workers"][0]["worker"]
    assert tab.window(".", worker, trace.name)["state"] == "ready"
    body = tab.get("window", run=".", worker=worker, window=trace.name).get_data()
    assert json.loads(body, parse_constant=forbid)["window"]["sites"]


def test_the_manual_is_answered_page_by_page(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    first = tab.get("manual").json
    for entry in first["pages"]:
        page = tab.get("manual", page=entry["name"]).json
        assert (page["name"], page["title"]) == (entry["name"], entry["title"])
        assert page["pages"] == first["pages"]
        assert {block["kind"] for block in page["blocks"]} <= {"heading", "text", "item", "code"}
    assert (first["name"], first["blocks"][0]["text"]) == ("hook", first["pages"][0]["summary"])


def test_a_page_that_the_manual_has_not_is_refused(open_tab: OpenTab, logdir: Path) -> None:
    answer = open_tab(str(logdir)).get("manual", page="../pages.py")
    assert answer.status_code == 400
    assert answer.json["error"].startswith("there is no manual page '../pages.py': the pages are hook, ")


def test_runs_come_in_pages_that_name_the_next_one(
    open_tab: OpenTab, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.views.runs.WINDOWS_OF_A_PAGE", 3)
    for run, windows in (("a", 2), ("b", 2), ("c", 5), ("d", 1)):
        (tmp_path / run).mkdir()
        for number in range(windows):
            os.link(sample, tmp_path / run / f"w.17522155739931690{number:02d}.pt.trace.json.gz")
    tab = open_tab(str(tmp_path))
    pages = [tab.get("runs", page=str(page)).json for page in range(4)]
    assert [[row["run"] for row in page["runs"]] for page in pages] == [["a", "b"], ["c"], ["d"], []]
    assert [page["next_page"] for page in pages] == [1, 2, None, None]
    assert {page["version"] for page in pages} == {tab.get("version").json["version"]}
    assert {page["newest_run"] for page in pages} == {"c"}
    for wrong in ("-1", "x", "1" * 10, "²"):
        assert tab.get("runs", page=wrong).status_code == 400


def test_a_list_that_did_not_change_is_not_sent_again(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    headers = {"If-None-Match": tab.get("runs").headers["ETag"]}
    assert tab.client.get("/data/plugin/tbprof/runs", headers=headers).status_code == 304
    (logdir / "new").mkdir()
    shutil.copy(logdir / "run" / WINDOW, logdir / "new")
    deadline = time.monotonic() + PATIENCE_S
    while tab.client.get("/data/plugin/tbprof/runs", headers=headers).status_code == 304:
        assert time.monotonic() < deadline, "the new run was not found in time"
        time.sleep(0.1)


def test_a_large_log_directory_is_looked_at_aside(
    open_tab: OpenTab, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab(str(logdir))
    before = tab.runs()
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._FRESH_S", -1.0)
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._LOOKS_SHARE", float("inf"))
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._QUICK_S", -1.0)
    looks, may_end = [], threading.Event()
    find = Discovery.find

    def slowly(self: Discovery) -> Listing:
        looks.append(self)
        assert may_end.wait(PATIENCE_S)
        return find(self)

    monkeypatch.setattr(Discovery, "find", slowly)
    shutil.copytree(logdir / "run", logdir / "new")
    assert tab.runs() == tab.runs() == before
    assert len(looks) == 1
    may_end.set()
    deadline = time.monotonic() + PATIENCE_S
    while [row["run"] for row in tab.runs()["runs"]] != ["new", "run"]:
        assert time.monotonic() < deadline, "the new run was not found in time"
        time.sleep(0.02)


def test_a_look_that_fails_leaves_what_was_found(
    open_tab: OpenTab, logdir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tab = open_tab(str(logdir))
    before = tab.runs()
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._FRESH_S", -1.0)
    monkeypatch.setattr(Discovery, "find", lambda _: 1 // 0)
    deadline = time.monotonic() + PATIENCE_S
    while "could not look" not in caplog.text:
        assert tab.runs() == before
        assert time.monotonic() < deadline, "nobody looked in time"


def test_the_version_changes_with_the_windows_and_with_nothing_else(
    open_tab: Callable[..., Any], logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._FRESH_S", -1.0)
    tab = open_tab(str(logdir))
    before = tab.get("version").json["version"]
    assert tab.get("version").json["version"] == before
    shutil.copy(next((logdir / "run").iterdir()), logdir / "run" / "w.1752215573993169007.pt.trace.json.gz")
    deadline = time.monotonic() + PATIENCE_S
    while (after := tab.get("version").json["version"]) == before:
        assert time.monotonic() < deadline, "the new window was not found in time"
    assert open_tab(str(logdir)).get("version").json["version"] not in (before, after)


def test_the_version_tells_at_once_that_the_files_of_a_window_changed(
    open_tab: OpenTab, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab(str(logdir))
    path = logdir / "run" / WINDOW
    before = tab.get("version", **PLACE).json
    # The list, which is not looked at again for long, does not tell it.
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._FRESH_S", 3600.0)
    assert tab.get("version", **PLACE).json == before
    aside = path.with_suffix(".aside")
    aside.write_bytes(path.read_bytes())
    aside.replace(path)
    after = tab.get("version", **PLACE).json
    assert after["version"] == before["version"]
    assert after["content"] not in (None, before["content"])


def test_the_version_tells_that_the_report_of_a_window_changed(open_tab: OpenTab, logdir: Path) -> None:
    report = logdir / "run" / "w.1752215573993169006.tbprof.pb"
    report.write_bytes(b"one")
    tab = open_tab(str(logdir))
    before = tab.get("version", **PLACE).json["content"]
    report.write_bytes(b"another")
    assert tab.get("version", **PLACE).json["content"] != before


@pytest.mark.parametrize("place", [{}, {"run": "run"}, {**PLACE, "window": "other"}])
def test_the_version_tells_nothing_of_a_window_that_is_not_there(
    open_tab: OpenTab, logdir: Path, place: dict[str, str]
) -> None:
    tab = open_tab(str(logdir))
    assert tab.get("version", **place).json == {
        "version": tab.get("version").json["version"],
        "content": None,
    }
    (logdir / "run" / WINDOW).unlink()
    assert tab.get("version", **PLACE).json["content"] is None


def test_the_version_is_short_and_reads_nothing(
    open_tab: OpenTab, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab(str(logdir))
    tab.runs()
    monkeypatch.setattr("pathlib.Path.open", lambda *_: pytest.fail("a file was opened"))
    assert len(tab.get("version", **PLACE).data) < 100
