"""`tbprof table`: tables of a trace in five formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import SAMPLES
from communication_scenes import exchanging
from trace_builder import TraceBuilder

import tbprof
from tbprof.cli.main import main

TRACE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
UNRECORDED = next((SAMPLES / "sam_amg_a100").glob("*.json.gz"))
OPERATOR_KEYS = (
    "name shapes calls host_self_us host_total_us device_self_us device_total_us launches flops bytes "
    "limit_us idle_us wait_us tensor_cores_eligible tensor_cores_used"
)
KERNEL_KEYS = (
    "name calls total_us mean_us min_us max_us grid block blocks_per_sm occupancy tensor_cores library"
)

MODULE_KEYS = (
    "name path kind depth count calls device_us device_self_us host_us launches idle_us wait_us share"
)


MEMORY_KEYS = (
    "device name calls increase_bytes self_increase_bytes allocations self_allocations allocated_bytes "
    "self_allocated_bytes at_peak_bytes kept_bytes"
)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["table", *arguments]) == 0
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *arguments, str(TRACE), "--format", "json"))
    return found


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ("operators", OPERATOR_KEYS),
        ("kernels", KERNEL_KEYS),
        ("modules", MODULE_KEYS),
        ("memory", MEMORY_KEYS),
    ],
)
def test_json_has_the_keys_that_are_promised(
    capsys: pytest.CaptureFixture[str], table: str, keys: str
) -> None:
    found = document(capsys, table)
    assert (found["schema"], found["table"], found["by"], found["scope"]) == (1, table, "name", "trace")
    assert set(keys.split()) <= found["rows"][0].keys()


@pytest.mark.parametrize("table", ["kernels", "collectives"])
def test_a_table_of_a_file_that_is_cut_off_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    cut = tmp_path / "cut.pt.trace.json"
    whole = gzip.decompress(TRACE.read_bytes())
    cut.write_bytes(whole[: len(whole) * 98 // 100])
    assert main(["table", table, str(cut)]) == 0
    printed = capsys.readouterr()
    assert "the file is cut off among its events: its figures are of what is left of it" in printed.err
    if table == "collectives":
        assert printed.out.startswith("Collectives: the file is cut off, and does not tell them.")


@pytest.mark.parametrize("by", ["name", "shapes", "stack", "module", "step"])
def test_the_device_time_of_all_rows_is_that_of_the_trace(
    capsys: pytest.CaptureFixture[str], by: str
) -> None:
    found = document(capsys, "operators", "--by", by)
    own = sum(row["device_self_us"] for row in found["rows"])
    assert own + found["without_operator_us"] == pytest.approx(found["device_us"])
    assert found["rows"][-1]["cumulative_share"] == pytest.approx(1)


def test_the_own_device_time_of_all_modules_is_that_of_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "modules")
    assert sum(row["device_self_us"] for row in found["rows"]) == pytest.approx(found["device_us"])
    assert "  BertLayer_0-3" in printed(capsys, "modules", str(TRACE))


def test_modules_are_compared_by_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "modules", "--against", str(TRACE))
    assert {(row["state"], row["difference_us"]) for row in found["rows"]} == {("both", 0), ("rest", 0)}
    assert len({row["path"] for row in found["rows"]}) == len(found["rows"])


@pytest.mark.parametrize(
    ("scope", "kernels"), [((), ["inside"]), (("--scope", "trace"), ["inside", "warm-up"])]
)
def test_two_windows_are_compared_by_their_steps(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, scope: tuple[str, ...], kernels: list[str]
) -> None:
    built = TraceBuilder()
    built.launch(0, 5, runs=(10, 40), name="warm-up")
    built.step(1, 100, 300)
    built.launch(110, 115, runs=(120, 130), name="inside")
    path = str(built.write(tmp_path / "trace.json"))
    found = json.loads(printed(capsys, "kernels", path, "--against", path, *scope, "--format", "json"))
    assert sorted(row["name"] for row in found["rows"] if row["calls_before"]) == kernels


def test_memory_names_the_peak_of_each_device_and_who_holds_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "memory")
    gpu, cpu = found["devices"]
    assert (gpu["device"], gpu["peak_bytes"], gpu["peak_reserved_bytes"]) == (
        "GPU 0",
        101_305_344,
        121_634_816,
    )
    assert (cpu["device"], cpu["peak_bytes"], cpu["peak_reserved_bytes"]) == ("CPU", 16, None)
    held = sum(holder["bytes"] for holder in gpu["holders"])
    assert held == sum(row["at_peak_bytes"] for row in found["rows"] if row["device"] == "GPU 0")
    assert gpu["before_bytes"] == gpu["peak_bytes"] - held
    assert "GPU 0 at most 101.3" in printed(capsys, "memory", str(TRACE))


def test_allocations_are_blocks_with_their_lifetimes(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "allocations")["rows"]
    memory = document(capsys, "memory")["rows"]
    assert sum(row["bytes"] for row in rows) == sum(row["self_allocated_bytes"] for row in memory)
    assert all(row["lifetime_us"] == pytest.approx(row["freed_us"] - row["allocated_us"]) for row in rows)


def test_csv_holds_the_same_rows(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "kernels", str(TRACE), "--format", "csv"))))
    expected = document(capsys, "kernels")["rows"]
    assert [(row["name"], float(row["total_us"]), json.loads(row["grid"])) for row in rows] == [
        (row["name"], row["total_us"], row["grid"]) for row in expected
    ]


def test_markdown_and_html_hold_the_same_rows(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("kernels", str(TRACE), "--top", "3", "--format")
    names = [row["short_name"] for row in document(capsys, "kernels", "--top", "3")["rows"]]
    markdown, page = (printed(capsys, *asked, form) for form in ("markdown", "html"))
    lines = [line for line in markdown.splitlines() if line.startswith("| ")][2:]
    assert [line.split(" | ")[0].removeprefix("| ").replace("\\", "") for line in lines] == names
    assert page.count("<tr>") == 4


def test_text_says_what_it_is_a_table_of(capsys: pytest.CaptureFixture[str]) -> None:
    head, names, *rows = printed(capsys, "operators", str(TRACE), "--top", "3").splitlines()
    assert head.startswith("Operators of the whole trace with 1 step, by name:")
    assert names.split()[:2] == ["operator", "calls"]
    assert [row.split()[0] for row in rows] == [
        row["name"] for row in document(capsys, "operators")["rows"][:3]
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("operators", str(TRACE), "--by", "label"), "can't be grouped by label: no label is recorded"),
        (("modules", str(TRACE), "--by", "stack"), "modules can't be grouped by stack: give name"),
        (("kernels", str(TRACE), "--by", "stack"), "kernels can't be grouped by stack: give name"),
        (("memory", str(TRACE), "--by", "label"), "can't be grouped by label: no label is recorded"),
        (("memory", str(TRACE), "--against", str(TRACE)), "memory can't be compared"),
        (("memory", str(UNRECORDED)), "has no allocations: record it with profile_memory=True"),
        (("operators", str(TRACE), "--top", "0"), "--top 0 shows nothing"),
        (("operators", str(SAMPLES)), "is a folder: name one trace in it"),
        (("operators", "nothing.json"), "can't be read"),
    ],
)
def test_what_can_not_be_had_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert main(["table", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_trace_without_a_device_has_no_figures_of_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}
    path = tmp_path / "cpu.json"
    path.write_text(json.dumps({"traceEvents": [event]}), encoding="utf-8")
    found = json.loads(printed(capsys, "operators", str(path), "--format", "json"))
    (row,) = found["rows"]
    assert (row["host_total_us"], row["device_self_us"], row["idle_us"], found["device_us"]) == (
        5,
        None,
        None,
        None,
    )
    assert "no device is recorded" in printed(capsys, "operators", str(path))
    assert "none is recorded" in printed(capsys, "kernels", str(path))


def test_collectives_are_those_of_the_whole_trace(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trace = str(exchanging(2_000, elements=1_000).write(tmp_path / "host_1.1000.pt.trace.json"))
    found = json.loads(printed(capsys, "collectives", trace, "--format", "json"))
    (row,) = found["rows"]
    assert (found["table"], found["exposed_us"], found["overlapped_us"]) == ("collectives", 4_000, 0)
    assert (row["kind"], row["group"], row["group_size"], row["dtype"]) == ("all_reduce", "0", 8, "float32")
    assert (row["count"], row["bytes_in"], row["total_us"]) == (2, 8_000, 4_000)
    assert row["bus_gb_s"] == pytest.approx(1.75 * 8_000 / 4_000_000)
    assert "all_reduce" in printed(capsys, "collectives", trace)


def test_a_test_can_count_the_collectives_that_computing_covers(tmp_path: Path) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1_000)
    built.launch(1, 2, runs=(100, 400))
    # Of 100 us each: 100, 50, 49 and none beside computing; one runs beside another collective.
    for number, begin in enumerate((200, 350, 351, 451, 500)):
        built.op("record_param_comms", 3 + 4 * number, 6 + 4 * number)
        built.events[-1]["args"].update({"Collective name": "all_gather", "Process Group Name": "0"})
        runs, stream = (begin, begin + 100), 20 + number
        name = "ncclDevKernel_AllGather_RING_LL"
        built.launch(4 + 4 * number, 5 + 4 * number, runs=runs, name=name, stream=stream)
    trace = built.write(tmp_path / "host_1.1000.pt.trace.json")
    gathers = [row for row in tbprof.load(trace).collectives() if row["kind"] == "all_gather"]
    assert (sum(row["count"] for row in gathers), sum(row["overlapped"] for row in gathers)) == (5, 2)


def test_a_trace_without_collectives_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "collectives", str(TRACE)) == "Collectives: none is recorded.\n"
