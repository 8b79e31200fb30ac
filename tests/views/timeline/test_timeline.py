"""The records of the timeline, and a tile as bytes."""

from __future__ import annotations

import json
import pathlib
import struct
from typing import Any

import numpy as np
import pytest
from scenes import host_bound
from trace_builder import TraceBuilder

from tbprof.analysis.figures.timeline import Timeline
from tbprof.analysis.figures.timeline_tile import TilePlace
from tbprof.report import build_report, open_timeline
from tbprof.views.timeline_selection import (
    MAGIC,
    MAX_NAME,
    VERSION,
    excerpt_of_step,
    select_episode,
    select_gap,
    select_row,
    tile_bytes,
)
from tbprof.views.timeline_view import found_view, timeline_step, timeline_view

SAM = next((pathlib.Path(__file__).parents[3] / "logs" / "samples" / "sam_amg_a100").glob("*.json.gz"))


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return Timeline(host_bound().facts())


def read_tile(data: bytes) -> dict[str, Any]:
    """The format as its docstring tells it."""
    head = struct.unpack_from("<8I", data)
    at = 32
    columns: dict[str, Any] = {"head": head}

    def take(name: str, kind: str, count: int) -> None:
        nonlocal at
        columns[name] = np.frombuffer(data, kind, count, at).tolist()
        at += count * np.dtype(kind).itemsize

    spans, shares, heights, names = head[4:]
    for name, kind in (("start", "<f8"), ("end", "<f8"), ("place", "<u4"), ("row", "<i4"), ("name", "<i4")):
        take(name, kind, spans)
    at += 4 * (spans % 2)
    for name in ("share_place", "bucket", "covered", "count"):
        take(name, "<u4", shares)
    columns["heights"] = []
    for _ in range(heights):
        take("lane", "<u4", 1)
        take("height", "<u4", 1024)
        take("empty", "<u4", 1024)
        columns["heights"].append((columns["lane"][0], columns["height"], columns["empty"]))
    columns["names"] = json.loads(data[at:])
    assert len(data) - at == names
    return columns


def test_a_tile_reads_back_as_it_was_cut(timeline: Timeline) -> None:
    level, lanes = timeline.highest_level - 3, range(len(timeline.lanes))
    read = read_tile(tile_bytes(timeline, level, 1, lanes))
    tile = timeline.tile(TilePlace(level, 1), lanes)
    assert read["head"][:4] == (MAGIC, VERSION, level, 1)
    assert read["start"] == tile.spans.start_ns.tolist()
    assert read["row"] == tile.spans.row.tolist()
    place = list(zip(tile.spans.lane, tile.spans.line, tile.spans.kind, strict=True))
    assert [(at >> 16, at >> 8 & 255, at & 255) for at in read["place"]] == place
    assert read["covered"] == tile.shares.covered_ns.tolist()
    cut = [(one.lane, one.height.tolist(), one.empty_ns.tolist()) for one in tile.heights]
    assert read["heights"] == cut
    assert [timeline.lanes[lane].kind for lane, *_ in cut] == ["queue", "use"]


def test_labels_are_names_of_rows_and_sites_of_episodes(timeline: Timeline) -> None:
    read = read_tile(tile_bytes(timeline, 5, 0, range(len(timeline.lanes))))
    for place, row, name in zip(read["place"], read["row"], read["name"], strict=True):
        kind = timeline.lanes[place >> 16].kind
        if kind == "episodes":
            assert name == timeline.facts.site_of_episode[row]
        elif kind != "idle":
            trace = timeline.facts.trace
            assert read["names"][name] == trace.names[trace.slices.name[row]][:MAX_NAME]


def test_a_name_of_any_letters_is_carried_as_text() -> None:
    built = TraceBuilder()
    name = "<script>alert(1)</script>" + "\u4e2d" * 300
    built.op(name, 0, 100)
    timeline = Timeline(built.facts())
    assert read_tile(tile_bytes(timeline, 0, 0, range(2)))["names"] == [name[:MAX_NAME]]


def test_steps_have_the_figures_of_the_report() -> None:
    report, timeline = build_report(SAM), open_timeline(SAM)
    view = timeline_view(timeline)
    assert [(s.name, s.start_ns, s.duration_ns, s.cold) for s in view.steps] == [
        (s.name, s.start_ns, s.duration_ns, s.cold) for s in report.steps
    ]
    assert [(site.count, site.wait_us) for site in view.sites] == [
        (site.count, site.wait_ns / 1000) for site in report.sites
    ]
    for index, step in enumerate(report.steps):
        shown = timeline_step(timeline, index)
        assert step.device_idle_ns is not None
        assert shown.idle_us == step.device_idle_ns / 1000
        assert {row.cause: row.idle_us * 1000 for row in shown.causes} == dict(step.idle_by_cause)
        assert sum(episode.blocking for episode in shown.episodes) == step.sync_points


def test_of_a_device_whose_work_is_cut_off_no_gap_and_no_queue_is_told(tmp_path: pathlib.Path) -> None:
    whole = host_bound(steps=40).write(tmp_path / "whole.pt.trace.json").read_bytes()
    cut = tmp_path / "cut.pt.trace.json"
    cut.write_bytes(whole[: len(whole) * 9 // 10])
    timeline = open_timeline(cut)
    step = timeline_step(timeline, 1)
    assert (step.idle_us, step.idle_share, step.causes, step.gaps) == (None, None, (), ())
    view = timeline_view(timeline)
    assert view.main_device == 0
    assert not {lane.kind for lane in view.lanes} & {"idle", "queue"}
    assert timeline.queued_at(view.steps[1].start_ns) is None


def test_an_episode_is_told_with_its_gap_and_its_link(timeline: Timeline) -> None:
    selected = select_episode(timeline, 1)
    assert selected is not None
    assert (selected.kind, selected.step, selected.into_step_us) == ("blocking", 1, 110.0)
    assert "The host waited" in selected.sentence
    assert (selected.direction, selected.memory, selected.copy_us) == ("DtoH", "pageable", 2.0)
    assert selected.gap is not None
    assert selected.gap.start_ns == 1_422_000
    [link] = selected.links
    lanes = [lane.kind for lane in timeline.lanes]
    assert (lanes[link.from_lane], lanes[link.to_lane]) == ("main", "stream")
    assert select_episode(timeline, 999) is None


def test_a_gap_and_a_row_are_told(timeline: Timeline) -> None:
    gap = select_gap(timeline, 1_500_000)
    assert gap is not None
    assert gap.gap is not None
    assert gap.start_ns == gap.gap.start_ns == 1_422_000
    assert select_gap(timeline, 1_100_000) is None
    found = found_view(timeline, "kernel", -1, backwards=False)
    assert found.row is not None
    row = select_row(timeline, found.row)
    assert row is not None
    assert row.name in ("kernel", "cudaLaunchKernel")
    assert len(row.links) == 1
    assert found_view(timeline, "no such name", -1, backwards=False).row is None


def test_an_excerpt_holds_the_step_and_what_was_found_in_it(timeline: Timeline) -> None:
    events = json.loads(excerpt_of_step(timeline, 1))["traceEvents"]
    names = [event["name"] for event in events if event.get("cat") == "tbprof"]
    assert "Refilling after a sync" in names
    assert any(name.startswith("The host waited") for name in names)
    shown = timeline_step(timeline, 1)
    idle = sum(e["dur"] for e in events if e.get("cat") == "tbprof" and e["tid"] == 1)
    assert idle == pytest.approx(shown.idle_us)
