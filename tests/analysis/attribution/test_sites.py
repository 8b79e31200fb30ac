"""What belongs to one site, and what makes two."""

from __future__ import annotations

import pytest
from scenes import host_bound, read_scalar, upload
from trace_builder import TraceBuilder

SYNC = "cudaStreamSynchronize"


def counts(built: TraceBuilder) -> list[tuple[int, int]]:
    """How often each site was met, and how often it blocked."""
    return [(site.count, site.blocking) for site in built.report().sites]


def test_the_same_read_in_each_step_is_one_site() -> None:
    (site,) = host_bound(steps=3).report().sites
    assert (site.count, site.blocking, site.per_step) == (3, 3, (1, 1, 1))
    assert site.calls == ("cudaMemcpyAsync", SYNC)
    assert site.ops == ("aten::_local_scalar_dense", "aten::item")
    assert (site.direction, site.memory, site.bytes) == ("DtoH", "pageable", 12)
    assert (site.wait_ns, site.starve_ns) == (3 * 322_000, 3 * 160_000)
    assert site.explained_ns == 3 * 312_000


def test_what_happens_outside_the_steps_is_in_the_count_and_in_no_step() -> None:
    built = host_bound(steps=2)
    for name in ("aten::item", "aten::_local_scalar_dense"):
        built.op(name, 2500, 2600)
    built.copy("DtoH", "pageable", 2510, 2520, runs=(2512, 2514))
    built.synchronize(SYNC, 2521, 2522)
    (site,) = built.report().sites
    assert (site.count, site.per_step) == (3, (1, 1))


def test_direction_and_memory_make_two() -> None:
    built = TraceBuilder()
    kinds = (("HtoD", "pageable"), ("HtoD", "pinned"), ("DtoH", "pinned"))
    for start, (direction, memory) in zip((0, 100, 200), kinds, strict=True):
        built.copy(direction, memory, start, start + 10, runs=(start + 2, start + 8))
        built.synchronize(SYNC, start + 20, start + 30)
    assert counts(built) == [(1, 1)] * 3


def test_calls_make_two() -> None:
    built = TraceBuilder()
    built.copy("DtoH", "pageable", 0, 10, runs=(2, 8))
    built.copy("DtoH", "pageable", 20, 30, runs=(22, 28), call="cudaMemcpy")
    built.copy("DtoH", "pageable", 40, 50, runs=(42, 48))
    built.synchronize(SYNC, 60, 70)
    assert counts(built) == [(1, 1)] * 3


def test_op_chains_make_two() -> None:
    built = TraceBuilder()
    read_scalar(built, 0, wait=10, ops=("aten::item",))
    read_scalar(built, 100, wait=10, ops=("aten::is_nonzero", "aten::item"))
    read_scalar(built, 200, wait=10, ops=("aten::item",))
    assert sorted(counts(built)) == [(1, 1), (2, 2)]


def test_frames_make_two() -> None:
    built = TraceBuilder()
    for start, line in ((0, 3), (100, 9), (200, 3)):
        built.frame(f"train.py({line}): step", start, start + 90)
        read_scalar(built, start + 10, wait=10)
    assert sorted(counts(built)) == [(1, 1), (2, 2)]


def test_a_synchronize_behind_one_of_them_makes_two() -> None:
    built = TraceBuilder()
    for start in (0, 100):
        built.copy("HtoD", "pinned", start, start + 10, runs=(start + 2, start + 8))
    built.synchronize(SYNC, 200, 210)
    assert counts(built) == [(1, 1), (1, 0)]


def test_labels_and_modules_make_none() -> None:
    built = TraceBuilder()
    for start, label in ((0, "train"), (100, "check")):
        built.annotation(label, start, start + 90)
        read_scalar(built, start + 10, wait=10)
    assert counts(built) == [(2, 2)]


@pytest.mark.parametrize("labels", [("train", "check"), ("check", "train")])
def test_of_labels_met_equally_often_the_first_by_name_stands_for_the_site(labels: tuple[str, ...]) -> None:
    """Not the one that the file happens to mention first."""
    built = TraceBuilder()
    for start, label in zip((0, 100), labels, strict=True):
        built.annotation(label, start, start + 90)
        read_scalar(built, start + 10, wait=10)
    assert [site.label for site in built.report().sites] == ["check"]


def test_a_site_adds_the_whole_time_of_copies_that_did_not_block() -> None:
    """So the sum over the sites may exceed the wait of the sync points."""
    built = TraceBuilder()
    built.copy("HtoD", "pinned", 0, 10, runs=(2, 8))
    built.copy("HtoD", "pinned", 20, 27, runs=(22, 28))
    report = built.report()
    assert report.sync_points.wait_ns == 0
    assert [(s.count, s.blocking, s.wait_ns, s.explained_ns) for s in report.sites] == [(2, 0, 17_000, 0)]


def test_the_longest_wait_comes_first_and_of_equals_the_earlier() -> None:
    built = TraceBuilder()
    read_scalar(built, 0, wait=10, ops=("aten::first",))
    read_scalar(built, 100, wait=50, ops=("aten::long",))
    read_scalar(built, 200, wait=10, ops=("aten::second",))
    assert [site.ops[0] for site in built.report().sites] == ["aten::long", "aten::first", "aten::second"]


def test_bytes_are_those_of_the_device_rows() -> None:
    built = TraceBuilder()
    upload(built, 0, wait=50, size_bytes=1000)
    upload(built, 100, wait=50, size_bytes=24)
    (site,) = built.report().sites
    assert (site.bytes, site.count) == (1024, 2)
