"""A file in any layout, whole or damaged, gives the same trace or one clear sentence."""

from __future__ import annotations

import gzip
import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trace_samples import (
    a_step,
    cells_of,
    classic,
    complete,
    dumped,
    health_numbers,
    rows_of,
    values_of,
    write,
)

from tbprof.errors import NotATrace, TraceError, TraceTooLarge
from tbprof.trace.columns.columns import Category
from tbprof.trace.importers.kineto.reader import read_trace

LAYOUTS = {
    "minified": {"separators": (",", ":")},
    "json.dump": {},
    "indented": {"indent": 2},
    "deeply indented": {"indent": 4},
}


def many_steps(count: int) -> list[dict]:
    return [{**event, "ts": event["ts"] + 1000 * step} for step in range(count) for event in a_step()]


def test_a_step_becomes_rows(tmp_path: Path) -> None:
    trace = read_trace(write(tmp_path, classic(a_step())))

    assert rows_of(trace)[:5] == [
        (4000125, 900500, "ProfilerStep#6", Category.USER_ANNOTATION, "1", "1", -1),
        (4010250, 40001, "aten::add", Category.CPU_OP, "1", "1", -1),
        (4020500, 10250, "cudaLaunchKernel", Category.RUNTIME, "1", "1", 11),
        (4050750, 20500, 'add<{"ph": 1}], [{>', Category.KERNEL, "0", "7", 11),
        (4100000, 30000, "aten::mul", Category.CPU_OP, "1", "1", -1),
    ]
    assert cells_of(trace.device) == {3: 0, 6: 0}
    assert cells_of(trace.stream) == {3: 7, 6: 7}
    assert [lane.name for lane in trace.lanes] == ["thread 1 (python3)", "stream 7"]
    assert (trace.rank, trace.world_size, trace.era) == (3, 8, "2024+")
    assert trace.origin_ns == 1751410836000000000
    assert trace.device_names == {0: "NVIDIA H100 80GB HBM3"}
    assert trace.num_events == len(a_step())
    assert trace.health == ()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("chunk_bytes", [4096, 65536, 8 * 1024 * 1024])
def test_the_layout_of_the_json_does_not_matter(tmp_path: Path, layout: str, chunk_bytes: int) -> None:
    events = many_steps(60)
    expected = values_of(read_trace(write(tmp_path, classic(events))))

    for events_first in (False, True):
        content = dumped(events, events_first=events_first, **LAYOUTS[layout])
        for packed in (False, True):
            path = write(tmp_path, content, "again.json", packed=packed)
            trace = read_trace(path, chunk_bytes=chunk_bytes)
            assert values_of(trace) == expected
            assert trace.health == ()


def test_events_without_an_object_around_them(tmp_path: Path) -> None:
    closed, unclosed = json.dumps(a_step()), json.dumps(a_step())[:-1]

    whole = read_trace(write(tmp_path, closed.encode()))
    open_ended = read_trace(write(tmp_path, unclosed.encode(), "unclosed.json"))

    assert values_of(open_ended) == values_of(whole)
    assert list(health_numbers(whole)) == ["device_names_unknown"]
    assert list(health_numbers(open_ended)) == ["truncated", "device_names_unknown"]


@pytest.mark.parametrize("chunk_bytes", range(600, 2600, 100))
def test_a_list_without_an_end_is_whole_where_the_last_event_is_there(
    tmp_path: Path, chunk_bytes: int
) -> None:
    last = {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 9000}
    unclosed = json.dumps([*a_step() * 4, last])[:-1].encode()
    few = json.dumps([*a_step()[:2], last])[:-1].encode()
    for text in (unclosed, few):
        trace = read_trace(write(tmp_path, text), chunk_bytes=chunk_bytes)
        assert "array_unclosed" in health_numbers(trace)
        assert not trace.is_cut_off
    without = unclosed[: unclosed.rindex(b", {")]
    assert read_trace(write(tmp_path, without), chunk_bytes=chunk_bytes).is_cut_off


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
unread = names.filter(lambda key: key not in {"correlation", "device", "stream", "bytes", "kind"})
odd_args = st.dictionaries(unread, st.recursive(names | st.integers() | st.none(), st.lists, max_leaves=5))


@given(
    rows=st.lists(
        # What is longer than a day or a day from the rest is left out.
        st.tuples(names, st.integers(0, 2**35), st.integers(0, 2**36), odd_args),
        min_size=1,
        max_size=40,
    ),
    first_us=st.integers(0, 2**51),
    layout=st.sampled_from(list(LAYOUTS)),
    ascii_only=st.booleans(),
    chunk_bytes=st.sampled_from([4096, 10_000, 1 << 20]),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_names_times_and_arguments(
    tmp_path: Path, rows: list, first_us: int, layout: str, ascii_only: bool, chunk_bytes: int
) -> None:
    events = [{**complete(name, first_us + ts, dur), "args": args} for name, ts, dur, args in rows]
    content = dumped(events, ensure_ascii=ascii_only, **LAYOUTS[layout])

    trace = read_trace(write(tmp_path, content), chunk_bytes=chunk_bytes)

    assert [row[:3] for row in rows_of(trace)] == [
        (event["ts"] * 1000, event["dur"] * 1000, event["name"]) for event in events
    ]
    assert list(health_numbers(trace)) == ["no_gpu_rows"]


REAL = [
    "kineto_resnet50_nw0/worker0.1623143089861.pt.trace.json.gz",
    "h100_bert_small_infer/h100_bert_small.json.gz",
    "mi300_bert_small_infer/mi300_bert_small.json.gz",
    "sam_amg_a100/amg_HEAD.json.gz",
    "dlrm_v100_8rank/worker1_step_12.1694128201556.pt.trace.json.gz",
    "hta_trace_diff/control.json.gz",
    "hta_critical_path/alexnet.json.gz",
    "hta_nccl_ddp/nccl_data.json.gz",
    "vllm_b200_tp8_eager/b200_eager.json.gz",
    "hta_degenerate/torch_compile_triton_mi300.json.gz",
    "hta_degenerate/cpu_only.json.gz",
]


@pytest.mark.parametrize("name", REAL)
def test_a_real_file_holds_what_the_standard_library_reads(traces: Path, name: str) -> None:
    document = json.loads(gzip.decompress((traces / name).read_bytes()), parse_float=str)
    complete_events = [event for event in document["traceEvents"] if event["ph"] == "X"]

    trace = read_trace(traces / name)

    assert trace.num_events == len(document["traceEvents"])
    assert [(row[0], row[2], row[4], row[5]) for row in rows_of(trace)] == [
        (exact_ns(event["ts"]), event["name"], str(event["pid"]), str(event["tid"]))
        for event in complete_events
    ]
    ids = [(event.get("args") or {}).get("correlation", -1) for event in complete_events]
    assert trace.slices.correlation.tolist() == ids
    assert not {"truncated", "events_dropped", "text_repaired"} & set(health_numbers(trace))


def exact_ns(us: int | str) -> int:
    whole, _, decimals = str(us).partition(".")
    return int(whole) * 1000 + int((decimals + "000")[:3])


@pytest.mark.exhaustive
def test_every_real_file_holds_all_its_events(traces: Path) -> None:
    for path in sorted(traces.glob("*/*.json.gz")):
        # What stragglers cost was told there by another tool, without categories.
        if path.parent.name not in ("malformed", "straggler_what_if"):
            document = json.loads(gzip.decompress(path.read_bytes()))
            events = document["traceEvents"] if isinstance(document, dict) else document
            assert read_trace(path).num_events == len(events), path


MALFORMED = {
    # name: rows, codes of health
    "array_form.pt.trace.json": (1201, ["device_names_unknown"]),
    "array_unclosed.pt.trace.json": (1201, ["array_unclosed", "device_names_unknown"]),
    "bad_events.pt.trace.json": (1201, ["events_dropped", "negative_durations"]),
    "bom.pt.trace.json": (1201, []),
    "control_char_in_name.pt.trace.json": (1201, ["text_repaired"]),
    "gz_named_json.pt.trace.json": (1201, []),
    "invalid_utf8_in_name.pt.trace.json": (1201, ["text_repaired"]),
    "nan_value.pt.trace.json": (1200, ["events_dropped"]),
    "plain_named_gz.pt.trace.json.gz": (1201, []),
    "runtime_without_args.pt.trace.json": (1201, ["gpu_rows_without_launch", "launches_without_gpu_rows"]),
    "traceName_brackets.pt.trace.json": (1201, []),
    "trailing_comma.pt.trace.json": (1201, []),
    "truncated.pt.trace.json.gz": (
        593,
        ["compression_damaged", "truncated", "events_dropped", "no_gpu_rows"],
    ),
    "truncated_tail.pt.trace.json": (727, ["truncated", "events_dropped", "no_gpu_rows"]),
    "windows_path_bad_escape.pt.trace.json": (1201, []),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_keeps_what_is_whole(traces: Path, name: str) -> None:
    rows, codes = MALFORMED[name]

    trace = read_trace(traces / "malformed" / name)

    assert len(trace.slices) == rows
    assert list(health_numbers(trace)) == codes
    assert all(name == name.encode().decode() for name in trace.names)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("chakra_not_kineto.json", 'has no "traceEvents"'),
        ("empty.pt.trace.json", "is empty: nothing was written to it"),
        ("no_events.pt.trace.json", "holds no timed events"),
        ("no_traceEvents_key.pt.trace.json", 'has no "traceEvents"'),
        ("not_json.pt.trace.json", "is a page of HTML"),
    ],
)
def test_what_is_no_trace_gets_one_sentence(traces: Path, name: str, reason: str) -> None:
    with pytest.raises(NotATrace) as error:
        read_trace(traces / "malformed" / name)

    assert reason in str(error.value)
    assert name in str(error.value)
    assert str(error.value).endswith(".")


def test_every_malformed_file_is_in_a_test(traces: Path) -> None:
    assert len(list((traces / "malformed").iterdir())) == len(MALFORMED) + 5


@pytest.mark.parametrize("cut", range(1, 20))
def test_a_file_that_breaks_off_keeps_its_whole_events(tmp_path: Path, cut: int) -> None:
    content = classic(many_steps(20))
    whole = rows_of(read_trace(write(tmp_path, content)))
    kept_bytes = content.index(b'"traceEvents"') + cut * 1571

    for packed in (False, True):
        trace = read_trace(write(tmp_path, content[:kept_bytes], "cut.json", packed=packed))
        kept = rows_of(trace)
        assert kept == whole[: len(kept)]
        assert len(kept) >= content[:kept_bytes].count(b'"ph": "X"') - 1
        assert "truncated" in health_numbers(trace)


def test_packed_bytes_that_break_off_keep_what_they_hold(tmp_path: Path) -> None:
    packed = gzip.compress(classic(many_steps(300)), 1)
    whole = rows_of(read_trace(write(tmp_path, packed)))

    trace = read_trace(write(tmp_path, packed[: len(packed) // 2], "cut.json"), chunk_bytes=8192)

    kept = rows_of(trace)
    assert kept == whole[: len(kept)]
    assert len(kept) > len(whole) // 4
    assert {"compression_damaged", "truncated"} <= set(health_numbers(trace))


def test_packed_pieces_one_behind_the_other_are_one_file(tmp_path: Path) -> None:
    content = classic(a_step())
    pieces = gzip.compress(content[:700]) + gzip.compress(content[700:])

    assert values_of(read_trace(write(tmp_path, pieces))) == values_of(
        read_trace(write(tmp_path, content, "plain.json"))
    )


def test_without_isal_the_standard_library_unpacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, classic(a_step()), packed=True)
    with_isal = values_of(read_trace(path))

    monkeypatch.setitem(sys.modules, "isal.igzip", None)
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)

    assert values_of(read_trace(path)) == with_isal
    cut = read_trace(write(tmp_path, path.read_bytes()[:-40], "cut.json"))
    assert "compression_damaged" in health_numbers(cut)


def test_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, classic(many_steps(50)), packed=True)

    with pytest.raises(TraceTooLarge, match="unpacks to more than 10,000 bytes"):
        read_trace(path, max_bytes=10_000)


LARGE: dict[str, Callable[[], bytes]] = {
    "blanks": lambda: b" " * 60_000_000,
    "one name": lambda: classic([complete("x" * 60_000_000, 1, 1), *a_step()]),
    "one member": lambda: b'{"log": "' + b"x" * 60_000_000,
    "brackets": lambda: b'{"traceEvents": [' + b"[" * 60_000_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_bomb_meets_bounded_buffers(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, LARGE[name](), packed=True)
    tracemalloc.start()
    try:
        with pytest.raises(TraceError):
            read_trace(path, max_bytes=50_000_000)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak_bytes < 45_000_000


def test_blanks_without_end_behind_the_events_are_not_unpacked(tmp_path: Path) -> None:
    content = classic(a_step())
    path = write(tmp_path, content.rstrip() + b" " * 60_000_000, packed=True)

    trace = read_trace(path, max_bytes=50_000_000)

    assert trace.num_events == len(a_step())


def test_objects_that_look_like_events_are_never_cut_apart(tmp_path: Path) -> None:
    inner = [{"ph": "X", "name": "inner", "ts": 1, "dur": 1}] * 60
    events = [complete(f"outer {number}", number, 1, parts=inner) for number in range(40)]

    for layout in LAYOUTS.values():
        trace = read_trace(write(tmp_path, dumped(events, **layout)), chunk_bytes=32_768)

        assert [row[2] for row in rows_of(trace)] == [event["name"] for event in events]
        assert list(health_numbers(trace)) == ["no_gpu_rows"]


def test_one_giant_event_costs_itself(tmp_path: Path) -> None:
    giant = complete("x" * 20_000_000, 1, 1)
    first, *others = many_steps(50)

    trace = read_trace(write(tmp_path, classic([first, giant, *others])))

    assert len(trace.slices) == len([event for event in (first, *others) if event["ph"] == "X"])
    assert health_numbers(trace)["events_dropped"] == {"dropped": 1, "too_long": 1}


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_an_event_nested_without_end_is_kept(tmp_path: Path, depth: int) -> None:
    deep = classic([complete("deep", 1, 2, deep="HERE"), *a_step()])

    trace = read_trace(write(tmp_path, deep.replace(b'"HERE"', b"[" * depth + b"]" * depth)))

    assert rows_of(trace)[0][:3] == (1000, 2000, "deep")
    assert trace.num_events == len(a_step()) + 1


def test_progress_counts_the_bytes_on_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path, classic(many_steps(300)))
    calls: list[tuple[int, int]] = []

    read_trace(path, chunk_bytes=16384, progress=lambda read, total: calls.append((read, total)))

    assert len(calls) > 10
    assert calls == sorted(calls)
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)
