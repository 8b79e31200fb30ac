"""The routes of timelines, flame graphs and tables, asked through TensorBoard's own application."""

from __future__ import annotations

import json
import os
import signal
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from timeouts import PATIENCE_S

from tbprof.report import build_report
from tbprof.store.codec import encode_report
from tbprof.views.timeline_selection import MAGIC, VERSION

WINDOW = "w.1752215573993169006.pt.trace.json.gz"
PLACE = {"run": "run", "worker": "w", "window": WINDOW}
OpenTab = Callable[..., Any]


def timeline(tab: Any, place: dict[str, str] = PLACE, route: str = "timeline") -> Any:
    """The answer once the trace has been read."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        answer = tab.get(route, **place).json
        if answer["state"] != "reading":
            return answer
        assert time.monotonic() < deadline, "the trace was not read in time"
        time.sleep(0.05)


@pytest.fixture
def tab(open_tab: OpenTab, logdir: Path) -> Any:
    return open_tab(str(logdir))


def test_a_timeline_comes_with_its_steps_tiles_and_excerpt(tab: Any, logdir: Path) -> None:
    answer = timeline(tab)
    assert (answer["state"], answer["problem"]) == ("ready", None)
    view = answer["timeline"]
    report = build_report(logdir / "run" / WINDOW)
    assert [step["name"] for step in view["steps"]] == [step.name for step in report.steps]
    step = tab.get("timeline_step", **PLACE, step="1").json
    assert step["idle_us"] == (report.steps[1].device_idle_ns or 0) / 1000
    tile = tab.get("timeline_tile", **PLACE, level=str(view["highest_level"]), number="0", lanes="0.1")
    assert tile.mimetype == "application/octet-stream"
    assert struct.unpack_from("<4I", tile.data) == (MAGIC, VERSION, view["highest_level"], 0)
    excerpt = json.loads(tab.get("timeline_excerpt", **PLACE, step="1").data)
    assert excerpt["traceEvents"][0]["args"] == {"name": "tbprof"}
    found = tab.get("timeline_find", **PLACE, text="Launch").json
    row = tab.get("timeline_selection", **PLACE, kind="row", number=str(found["row"])).json
    assert "Launch" in row["name"]


def test_what_is_read_of_a_file_that_was_replaced_is_no_answer(tab: Any, logdir: Path, sample: Path) -> None:
    tab.get("timeline", **PLACE)
    # Answered after the first question, whose answer nobody has come back for.
    while tab.get("timeline_step", **PLACE, step="0").status_code == 503:
        pass
    other = next((sample.parents[1] / "h100_bert_small_infer").glob("*.json.gz"))
    path = logdir / "run" / WINDOW
    path.write_bytes(other.read_bytes())
    view = timeline(tab)["timeline"]
    assert [step["name"] for step in view["steps"]] == [step.name for step in build_report(path).steps]
    assert len(view["steps"]) != 3


def test_a_flame_graph_is_of_what_was_recorded(tab: Any) -> None:
    answer = timeline(tab, {**PLACE, "kind": "operator"}, "icicle")
    assert (answer["state"], answer["problem"]) == ("ready", None)
    view = answer["icicle"]
    assert (view["kind"], view["nodes"][0]["parent"]) == ("operator", None)
    unknown = timeline(tab, {**PLACE, "kind": "nothing"}, "icicle")["icicle"]
    assert unknown["kind"] in {choice["kind"] for choice in view["kinds"] if not choice["missing"]}


def test_memory_is_that_of_the_device_and_the_moment_asked_for(tab: Any) -> None:
    view = timeline(tab, {**PLACE, "device": "CPU"}, "memory")["memory"]
    assert (view["device"], [device["device"] for device in view["devices"]]) == ("CPU", ["GPU 0", "CPU"])
    asked = {**PLACE, "start": "1000000", "end": "2000000", "at": "1500000"}
    view = timeline(tab, asked, "memory")["memory"]
    assert (view["line"]["from_ns"], view["line"]["to_ns"], view["moment"]["is_peak"]) == (
        10**6,
        2 * 10**6,
        False,
    )
    rows = timeline(tab, {**PLACE, "table": "memory", "by": "module", "scope": "trace"}, "table")["view"]
    assert rows["columns"][0]["key"] == "name"


def test_modules_are_those_of_the_window(tab: Any) -> None:
    answer = timeline(tab, PLACE, "modules")
    assert (answer["state"], answer["problem"]) == ("ready", None)
    view = answer["modules"]
    assert (view["nodes"][0]["parent"], view["missing"]) == (None, "")
    own = sum(node["device_own_us"] for node in view["nodes"])
    assert own == pytest.approx(view["nodes"][0]["device_us"])


def test_a_roofline_is_of_the_steps_or_of_the_whole_trace(tab: Any) -> None:
    for scope in ("steps", "trace"):
        answer = timeline(tab, {**PLACE, "scope": scope}, "roofline")
        assert (answer["state"], answer["roofline"]["scope"]) == ("ready", scope)
        assert answer["roofline"]["device"] == "H100 SXM"


def test_tables_come_with_what_is_known_of_a_row_and_what_changed(tab: Any) -> None:
    answer = timeline(tab, {**PLACE, "table": "operators", "by": "module"}, "table")
    assert (answer["state"], answer["view"]["by"]) == ("ready", "module")
    columns = {column["key"]: column for column in answer["view"]["columns"]}
    asked = {**PLACE, "table": "operators", "by": "module", "row": "0"}
    assert tab.get("table_row", **asked).json["name"] == columns["name"]["texts"][0]
    before = {f"before_{name}": value for name, value in PLACE.items()}
    compared = timeline(tab, {**PLACE, **before, "table": "kernels"}, "compared_table")["view"]
    assert {column["key"] for column in compared["columns"]} >= {"state", "difference_us"}
    # Which file is the one before is the plugin's to say.
    refused = tab.get("table_row", **asked, before="/etc/passwd", ask="compared_table")
    assert refused.status_code == 200


@pytest.mark.parametrize(
    ("route", "parameters"),
    [
        ("timeline_step", {"step": "9"}),
        ("timeline_step", {"step": "-1"}),
        ("timeline_step", {}),
        ("timeline_tile", {"level": "99", "number": "0"}),
        ("timeline_tile", {"level": "0", "number": "99999999"}),
        ("timeline_selection", {"kind": "episode", "number": "0"}),
        ("timeline_selection", {"kind": "none", "number": "0"}),
        ("timeline_selection", {"kind": "row", "number": "x"}),
        ("timeline_selection", {"kind": "row", "number": "9" * 5000}),
        ("timeline_tile", {"level": "9" * 5000, "number": "0"}),
        ("timeline_find", {"text": "aten", "after": "abc"}),
        ("timeline_find", {"text": "aten", "after": "9" * 5000}),
        ("timeline_find", {"text": "aten", "after": ""}),
        ("table_row", {"table": "operators", "row": "999"}),
        ("table_row", {"table": "kernels", "row": "x"}),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(
    tab: Any, route: str, parameters: dict[str, str]
) -> None:
    refused = tab.get(route, **PLACE, **parameters)
    assert refused.status_code == 400
    assert refused.json["error"]


def test_a_search_begins_before_all_behind_all_or_at_the_front(tab: Any) -> None:
    first = tab.get("timeline_find", **PLACE, text="Launch").json
    for after in ("-9999999999999999999", "-1"):
        assert tab.get("timeline_find", **PLACE, text="Launch", after=after).json == first
    assert tab.get("timeline_find", **PLACE, text="Launch", after="9" * 19).status_code == 200
    assert tab.get("timeline_find", **PLACE, lanes="9" * 5000).status_code == 200


def test_parameters_never_name_another_file(tab: Any, logdir: Path) -> None:
    other = logdir.parent / "other.json"
    other.write_text('{"traceEvents": []}', encoding="utf-8")
    step = tab.get("timeline_step", **PLACE, step="0", path=str(other), ask="excerpt", id="7").json
    assert step["index"] == 0


def test_a_window_whose_trace_is_gone_says_so(open_tab: OpenTab, logdir: Path) -> None:
    trace = logdir / "run" / WINDOW
    stored = encode_report(build_report(trace), written_by="0.1")
    (logdir / "run" / "w.1752215573993169006.tbprof.pb").write_bytes(stored)
    trace.unlink()
    alone = {**PLACE, "window": "w.1752215573993169006.tbprof.pb"}
    tab = open_tab(str(logdir))
    assert timeline(tab, alone) == {"state": "gone", "timeline": None, "progress": None, "problem": None}
    assert timeline(tab, alone, "icicle")["state"] == "gone"
    refused = tab.get("timeline_step", **alone, step="0")
    assert refused.status_code == 404
    assert "gone" in refused.json["error"]


def test_a_broken_trace_says_what_is_wrong(tab: Any, logdir: Path) -> None:
    (logdir / "run" / "x.pt.trace.json").write_bytes(b"no trace")
    answer = timeline(tab, {"run": "run", "worker": "x", "window": "x.pt.trace.json"})
    assert answer["state"] == "broken"
    assert answer["problem"]["title"] == "x.pt.trace.json can't be shown"
    assert timeline(tab)["state"] == "ready"


def test_a_window_that_is_not_there_is_not_found(tab: Any) -> None:
    assert tab.get("timeline", run="run", worker="w", window="other").status_code == 404


def test_the_process_may_die_and_is_started_again(tab: Any) -> None:
    assert timeline(tab)["state"] == "ready"
    [pid] = tab.plugin.worker_pids()
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    while pid in tab.plugin.worker_pids():
        assert time.monotonic() < deadline, "the process did not end"
        time.sleep(0.01)
    assert tab.get("timeline_step", **PLACE, step="0").json["index"] == 0


def test_routes_answer_get_and_head_only(tab: Any) -> None:
    posted = tab.client.post("/data/plugin/tbprof/timeline_tile", data={})
    assert posted.status_code == 405
