"""A trace file to its report: on public traces with a known truth, and on files that lose things."""

from __future__ import annotations

import dataclasses
import gzip
import json
import pathlib
import random
from collections.abc import Callable
from typing import Any

import pytest
from public_report import PublicReport
from scenes import host_bound

from tbprof.errors import NotATrace, TraceNotReadable
from tbprof.model import Finding, Report, Saving, Savings
from tbprof.report import build_report
from tbprof.rules.declared import is_part
from tbprof.trace.export.published_trace import merge_facts
from tbprof.trace.importers.sniffing import looks_like_trace

Json = dict[str, Any]
SiteFigures = dict[tuple[str, str, str, str, str, bool], tuple[int, int, Any]]
"""Kind, copy call, synchronize call, ops, frame and whether it blocks, to count, bytes and wait."""

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"
GOLDEN: dict[str, Json] = json.loads(
    (pathlib.Path(__file__).parents[1] / "data" / "golden_samples.json").read_text("utf-8")
)
ROUNDING_US = 0.06
"""The ground truth is rounded to 0.1 us."""


def us(ns: int) -> Any:
    return pytest.approx(ns / 1000, abs=ROUNDING_US)


# Traces whose truth was derived twice, by others.


def truth_of_totals(truth: Json) -> Json:
    return {
        "points": truth["sync_points"],
        "wait": truth["wait_us"],
        "in copies": truth["wait_in_copy_call_us"],
        "in synchronizes": truth["wait_in_sync_call_us"],
        "explained": truth["gpu_busy_during_wait_us"],
        "profiler's own": truth["profiler_own_sync_us"],
        "steps": {name: (row["n"], row["wait_us"]) for name, row in truth["per_step"].items()},
        "copies": {kind: (row["n"], row["bytes"], row["blocking"]) for kind, row in truth["copies"].items()},
    }


def totals_of(report: Report) -> Json:
    sync = report.sync_points
    steps = [step for step in report.steps if step.sync_points]
    copies = [copy for copy in report.copies if copy.direction != "DtoD"]
    return {
        "points": sync.count,
        "wait": us(sync.wait_ns),
        "in copies": us(sync.wait_in_copy_ns),
        "in synchronizes": us(sync.wait_in_sync_ns),
        "explained": us(sync.explained_ns),
        "profiler's own": [us(ns) for ns in sync.profiler_own_ns],
        "steps": {s.name.removeprefix("ProfilerStep"): (s.sync_points, us(s.wait_ns)) for s in steps},
        "copies": {f"{c.direction} {c.memory}": (c.count, c.bytes, c.blocking) for c in copies},
    }


def truth_of_sites(truth: Json) -> SiteFigures:
    return {
        (g["dir"], g["copy_api"], g["sync_api"], g["ops"], g["user_frame"], g["host_blocking"]): (
            g["n"],
            g["bytes"],
            g["wait_us"],
        )
        for g in truth["groups"]
    }


def sites_of(report: Report) -> SiteFigures:
    """Copies within the device are not in the ground truth."""
    found: SiteFigures = {}
    for site in report.sites:
        if site.direction == "DtoD":
            continue
        copy_call = next((call for call in site.calls if "Memcpy" in call), "")
        sync_call = next((call for call in site.calls if "Synchronize" in call), "")
        source = site.source
        frame = "" if source is None else f"{source.file}({source.line}): {source.function}"
        kind = f"{site.direction} {site.memory}".strip()
        key = (kind, copy_call, sync_call, "<".join(site.ops), frame, site.blocking > 0)
        found[key] = (site.count, site.bytes, us(site.wait_ns))
    return found


@pytest.mark.parametrize("folder", ["kineto_resnet50_nw0", "h100_owlv2_infer", "dlrm_v100_8rank"])
def test_totals_and_sites_are_those_of_the_ground_truth(
    traces: pathlib.Path, folder: str, public_report: PublicReport
) -> None:
    truths = json.loads((traces / folder / "ground_truth.json").read_text("utf-8"))
    for truth in truths:
        report = public_report(traces / folder / truth["file"])
        assert truth_of_totals(truth) == totals_of(report), truth["file"]
        assert truth_of_sites(truth) == sites_of(report), truth["file"]


@pytest.mark.parametrize("folder", ["h100_transformer_clean", "hta_df_index_memory"])
def test_a_training_without_waits_is_told_none(
    traces: pathlib.Path, folder: str, public_report: PublicReport
) -> None:
    for path in (traces / folder).glob("*.gz"):
        report = public_report(path)
        assert report.sync_points.count == 0
        assert {copy.direction for copy in report.copies} <= {"DtoD"}
        assert of_waits(report) == []


def of_waits(report: Report) -> list[Finding]:
    """The findings that speak of sync points and copies."""
    return [finding for finding in report.findings if finding.rule.startswith(("SYN", "CPY"))]


def steps_ns(report: Report) -> int:
    return sum(step.duration_ns for step in report.steps)


def test_where_host_and_device_take_turns_most_of_the_waits_can_be_won(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """A replay of the A100 trace without its waits wins 62.6 of 465 ms."""
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    assert report.savings is not None
    assert round(steps_ns(report) / 1e6) == 465
    assert 62e6 <= (report.savings.estimate_ns or 0) <= 69e6
    assert round(report.savings.ceiling_ns / 1e6) == 78


def test_where_the_device_never_stops_waits_of_321_ms_win_four(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "test.json.gz")
    assert report.savings is not None
    assert round(steps_ns(report) / 1e6) == 744
    assert round(report.sync_points.wait_ns / 1e6) == 321
    assert round((report.savings.estimate_ns or 0) / 1e6) == 4
    assert round(report.savings.ceiling_ns / 1e6) == 95
    assert {finding.severity for finding in of_waits(report)} <= {"low", "info"}
    assert report.verdict is not None
    assert report.verdict.case == "busy"


NO_TRACES = {"chakra_not_kineto.json", "empty.pt.trace.json", "no_events.pt.trace.json"} | {
    "no_traceEvents_key.pt.trace.json",
    "not_json.pt.trace.json",
}


def test_every_public_trace_has_a_report_and_no_rule_fails(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    found = (path for path in traces.rglob("*.json*") if path.name != "ground_truth.json")
    paths = [path for path in found if "straggler_what_if" not in path.parts]
    assert len(paths) > 50
    for path in paths:
        if path.name in NO_TRACES:
            with pytest.raises(NotATrace):
                public_report(path)
            continue
        report = public_report(path)
        assert report.failed_rules == (), path.name
        assert_consistent(report)


def assert_consistent(report: Report) -> None:
    """What holds in every report, whatever the trace."""
    sync = report.sync_points
    assert sync.wait_ns == sync.wait_in_copy_ns + sync.wait_in_sync_ns
    assert 0 <= sync.explained_ns <= sync.wait_ns
    assert sum(site.blocking for site in report.sites) == sync.count
    assert sum(site.wait_ns for site in report.sites) >= sync.wait_ns
    assert sum(step.sync_points for step in report.steps) <= sync.count
    for site in report.sites:
        assert site.blocking in (0, site.count)
        assert sum(site.per_step) <= site.count
        assert 0 <= site.starve_ns <= site.explained_ns <= site.wait_ns
        assert 0 <= site.wait_net_ns <= site.wait_ns
    if report.idle is not None:
        assert report.idle.total.device_ns == report.idle.total.empty_ns + report.idle.total.queued_ns
        assert report.savings is not None
        assert_ordered(report.savings)
        for finding in report.findings:
            if finding.saving is not None:
                assert_ordered(finding.saving)
            if finding.rule.startswith("SYN") and not is_part(finding):
                assert finding.saving is not None
                assert finding.saving.ceiling_ns <= report.savings.ceiling_ns


def assert_ordered(saving: Saving | Savings) -> None:
    figures = [saving.floor_ns, saving.estimate_ns, saving.ceiling_ns]
    known = [figure for figure in figures if figure is not None]
    assert known == sorted(known)
    assert known[0] >= 0


# The samples that come with tbprof.


@pytest.mark.parametrize("sample", GOLDEN)
def test_a_sample_says_what_was_checked_by_hand(sample: str) -> None:
    golden = GOLDEN[sample]
    report = build_report(SAMPLES / sample)
    assert report.savings is not None
    assert {
        "checked": golden["checked"],
        "sync_points": report.sync_points.count,
        "wait_ns": report.sync_points.wait_ns,
        "profiler_own_ns": list(report.sync_points.profiler_own_ns),
        "ceiling_ns": report.savings.ceiling_ns,
        "copies": [[c.direction, c.memory, c.count, c.bytes, c.blocking] for c in report.copies],
        "steps": [step.name for step in report.steps],
        "sites": len(report.sites),
    } == golden


def test_cuda_and_rocm_tell_the_same_of_one_program() -> None:
    """A read of one truth value, under the same line and ops."""
    cuda = build_report(SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    rocm = build_report(SAMPLES / "mi300_bert_small_infer" / "mi300_bert_small.json.gz")
    of_each = []
    for report in (cuda, rocm):
        (site,) = [site for site in report.sites if site.direction]
        assert site.source is not None
        of_each.append((site.direction, site.count, site.bytes, site.ops, site.source.function))
    assert of_each[0] == of_each[1]


# What must not matter.


def changed(path: pathlib.Path, folder: pathlib.Path, change: Callable[[Json], None]) -> Report:
    """The report of a trace after a change to its JSON, under its own name."""
    content = json.loads(gzip.decompress(path.read_bytes()))
    change(content)
    target = folder / path.name
    target.write_bytes(gzip.compress(json.dumps(content).encode(), 1))
    return without_places(build_report(target))


def without_places(report: Report) -> Report:
    """Without what says where in which file something stands."""
    findings = tuple(
        dataclasses.replace(
            finding, evidence=tuple(dataclasses.replace(item, row=0) for item in finding.evidence)
        )
        for finding in report.findings
    )
    return dataclasses.replace(
        report, trace=dataclasses.replace(report.trace, path=""), findings=findings, ranked=None
    )


def shift_times(content: Json) -> None:
    """By a second and a little, which every clock can hold."""
    for event in content["traceEvents"]:
        if "ts" in event:
            event["ts"] = round(event["ts"] + 1_000_023, 3)


def rename_threads(content: Json) -> None:
    """Of the host; a stream's number means something."""
    for event in content["traceEvents"]:
        if "stream" not in event.get("args", {}) and isinstance(event.get("tid"), int):
            event["tid"] += 5_000_000


def shuffle_events(content: Json) -> None:
    """All but those of one thread and start: there the later one is inside."""
    order = random.Random(20)
    ranks: dict[tuple[Any, ...], float] = {}
    for event in content["traceEvents"]:
        ranks.setdefault((event.get("pid"), event.get("tid"), event.get("ts")), order.random())
    content["traceEvents"].sort(key=lambda e: ranks[e.get("pid"), e.get("tid"), e.get("ts")])


CHANGES = [shift_times, rename_threads, shuffle_events]
SMALL = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("sample", GOLDEN)
def test_times_names_of_threads_and_the_order_of_events_do_not_matter(
    sample: str, change: Callable[[Json], None], tmp_path: pathlib.Path
) -> None:
    path = SAMPLES / sample
    assert changed(path, tmp_path, change) == without_places(build_report(path))


@pytest.mark.slow
def test_nor_do_they_in_a_large_trace_of_2022(
    traces: pathlib.Path, tmp_path: pathlib.Path, public_report: PublicReport
) -> None:
    path = traces / "hta_trace_diff" / "control.json.gz"

    def change_all(content: Json) -> None:
        for change in CHANGES:
            change(content)

    assert changed(path, tmp_path, change_all) == without_places(public_report(path))


def test_a_change_that_matters_is_seen(tmp_path: pathlib.Path) -> None:
    def lengthen(content: Json) -> None:
        call = next(e for e in content["traceEvents"] if e["name"] == "cudaStreamSynchronize")
        call["dur"] += 0.5

    before, after = build_report(SMALL), changed(SMALL, tmp_path, lengthen)
    assert after.sync_points.wait_ns == before.sync_points.wait_ns + 500


# The rest of a report.


def test_a_report_tells_of_its_file(tmp_path: pathlib.Path) -> None:
    path = host_bound(steps=2).write(tmp_path / "node7_31.1700000000000000000.pt.trace.json")
    summary = build_report(path).trace
    assert (summary.path, summary.worker) == (str(path), "node7_31")
    assert (summary.era, summary.devices) == ("2024+", ("Device of 2024+",))
    assert (summary.span_ns, summary.rank, summary.world_size) == (2_000_000, None, None)


def test_it_does_not_matter_how_a_file_is_packed(tmp_path: pathlib.Path) -> None:
    plain = build_report(host_bound().write(tmp_path / "w.pt.trace.json"))
    packed = build_report(host_bound().write(tmp_path / "w.pt.trace.json.gz", gz=True))
    assert without_places(plain) == without_places(packed)


HOOK_FACTS = {
    "schema": 1,
    "tbprof_version": "0.1",
    "torch_version": "2.9.0",
    "cuda_version": "12.8",
    "driver_version": None,
    "device_names": ["NVIDIA H200"],
    "worker": "node7_31_rank5",
    "rank": 5,
    "world_size": 8,
    "window": 0,
    "first_step": 13,
    "recorded_steps": 2,
    "options": {"with_stack": False},
    "unprofiled_step_ns": 900_000,
    "profiled_step_ns": 1_000_000,
}


def test_what_the_hook_knows_goes_before_what_the_file_says(tmp_path: pathlib.Path) -> None:
    raw = host_bound().write(tmp_path / "w.pt.trace.json")
    merge_facts(raw, tmp_path / "w.trace.json.gz", json.dumps(HOOK_FACTS).encode())
    report = build_report(tmp_path / "w.trace.json.gz")

    assert report.facts is not None
    assert report.facts.unprofiled_step_ns == 900_000
    assert (report.trace.worker, report.trace.rank, report.trace.world_size) == ("node7_31_rank5", 5, 8)
    assert report.sync_points == build_report(raw).sync_points


def test_progress_is_told_until_the_end() -> None:
    told: list[tuple[int, int]] = []
    build_report(SMALL, progress=lambda read, total: told.append((read, total)))
    size = SMALL.stat().st_size
    assert told[-1] == (size, size)
    assert told == sorted(told)


def test_a_file_that_is_not_there_is_one_clear_sentence(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TraceNotReadable, match=r"nowhere\.json can't be read"):
        build_report(tmp_path / "nowhere.json")


def test_a_trace_is_told_by_its_content(tmp_path: pathlib.Path) -> None:
    assert looks_like_trace(host_bound().write(tmp_path / "w.json"))
    other = tmp_path / "other.json"
    other.write_text('{"version": 1}')
    assert not looks_like_trace(other)


def test_the_same_file_gives_the_same_report() -> None:
    assert build_report(SMALL) == build_report(SMALL)


def test_findings_speak_of_sites_and_steps_that_are_there(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    assert len(of_waits(report)) > 1
    for finding in report.findings:
        assert all(step in range(len(report.steps)) for step in finding.steps)
        if len(finding.sites) == 1:
            site = report.sites[finding.sites[0]]
            assert site.count == finding.count
            assert [bool(count) for count in site.per_step] == [
                step in finding.steps for step in range(len(report.steps))
            ]


def test_a_trace_cut_between_two_steps_says_the_same_of_each(
    traces: pathlib.Path, tmp_path: pathlib.Path, public_report: PublicReport
) -> None:
    """Work that was launched before the cut may be missing after it; what the host did is not."""
    whole = json.loads(gzip.decompress((traces / "hta_trace_diff" / "control.json.gz").read_bytes()))
    events = whole["traceEvents"]
    cut = sorted(e["ts"] for e in events if str(e.get("name", "")).startswith("ProfilerStep#"))[3]
    parts = []
    for name, keeps in (("first", lambda ts: ts < cut), ("second", lambda ts: ts >= cut)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({**whole, "traceEvents": [e for e in events if keeps(e.get("ts", cut))]}))
        parts += build_report(path).steps
    steps = public_report(traces / "hta_trace_diff" / "control.json.gz").steps
    told = [(step.name, step.duration_ns, step.sync_points, step.wait_ns) for step in steps]
    assert [(s.name, s.duration_ns, s.sync_points, s.wait_ns) for s in parts] == told
