"""Waits that hide one another: removed together they win far more than one by one."""

from __future__ import annotations

import pytest
from masked_scene import masked_reads
from scenes import SIDE, gpu_bound, host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import saving_of
from tbprof.rules.sync.syn10_mask_cluster import MaskCluster, find_mask_cluster


def cluster_of(built: TraceBuilder) -> MaskCluster:
    facts = built.facts()
    return find_mask_cluster(facts, range(len(facts.sites)))


def test_two_reads_that_hide_each_other_are_a_cluster() -> None:
    facts = masked_reads().facts()
    found = find_mask_cluster(facts, [0, 1])
    alone = [saving_of(facts, site.members, "defer").estimate_ns for site in facts.sites]

    assert (found.sites, found.members.tolist()) == ((0, 1), list(range(8)))
    assert alone == [96_000, 8_000]
    assert (found.singles_ns, found.joint_ns) == (104_000, 654_000)


@pytest.mark.parametrize(("between", "sites"), [(270, (0, 1)), (271, ())])
def test_together_they_win_1_3_times_what_they_win_alone(between: float, sites: tuple[int, ...]) -> None:
    """Alone they win 104 + 4 x `between`, together 1544."""
    assert cluster_of(masked_reads(between=between)).sites == sites


@pytest.mark.parametrize(("length", "sites"), [(36_000, (0, 1)), (36_001, ())])
def test_what_they_hide_is_a_hundredth_of_the_steps(length: float, sites: tuple[int, ...]) -> None:
    """In long steps they hide 360 a step."""
    assert cluster_of(masked_reads(length=length)).sites == sites


def test_a_wait_that_takes_nothing_over_takes_no_part() -> None:
    """Its step has no more work by then, with the other two or without."""
    built = masked_reads(length=3000)
    for number in range(4):
        read_scalar(built, 3000 * number + 2500, wait=20, ops=("aten::to",))
    facts = built.facts()
    assert len(facts.sites) == 3
    sites = [facts.sites[index].ops[0] for index in find_mask_cluster(facts, [0, 1, 2]).sites]
    assert sorted(sites) == ["aten::_local_scalar_dense", "aten::copy_"]


def test_one_candidate_hides_nothing() -> None:
    assert find_mask_cluster(masked_reads().facts(), [0]).sites == ()
    assert cluster_of(host_bound()).sites == ()


def test_waits_of_side_threads_are_no_candidates() -> None:
    built = host_bound(steps=2)
    read_scalar(built, 20, wait=400, ops=("aten::copy_",), thread=SIDE)
    assert cluster_of(built).sites == ()


def test_a_device_that_never_runs_dry_leaves_nothing_to_hide() -> None:
    built = gpu_bound()
    read_scalar(built, 950, wait=20, ops=("aten::copy_",), stream=20)
    assert cluster_of(built).sites == ()
