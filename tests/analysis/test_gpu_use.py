"""How full GPUs are, as torch-tb-profiler says it of its own traces, and over time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.gpu_use import gpu_use, kernel_cover
from tbprof.model import Report

BLOCKS, OCCUPANCY = "blocks per SM", "est. achieved occupancy %"


def of_two_streams() -> Facts:
    """A step of 100 us: 20 us of half a GPU, 10 of them beside a kernel that needs all of another."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(1, 2, runs=(20, 40), stream=7, **{BLOCKS: 0.5, OCCUPANCY: 20})
    built.launch(3, 4, runs=(30, 60), stream=8, **{BLOCKS: 3.0, OCCUPANCY: 80})
    return Facts(built.trace())


def test_kernels_that_run_at_once_add_up_to_at_most_the_whole() -> None:
    (use,) = gpu_use(of_two_streams())
    assert use.utilization == pytest.approx(0.4)
    assert use.sm_efficiency == pytest.approx((0.5 * 10 + 1.0 * 30) / 100)
    assert use.occupancy == pytest.approx((0.2 * 20 + 0.8 * 30) / 50)


def test_in_buckets_is_the_mean_of_each_and_how_long_nothing_ran() -> None:
    facts = of_two_streams()
    edges = np.arange(0, 100_001, 10_000) + facts.origin_ns
    share, empty_ns = kernel_cover(facts, facts.work.kernels_of[0]).in_buckets(edges)
    assert share.tolist() == [0, 0, 500, 1000, 1000, 1000, 0, 0, 0, 0]
    assert empty_ns.tolist() == [10_000, 10_000, 0, 0, 0, 0, *[10_000] * 4]


@given(
    st.lists(
        st.tuples(st.integers(0, 400), st.integers(1, 60), st.sampled_from([0.0, 0.1, 0.4, 2.5])), min_size=1
    ),
    st.integers(1, 9),
)
def test_buckets_add_up_to_the_whole(kernels: list[tuple[int, int, float]], count: int) -> None:
    built = TraceBuilder()
    for number, (start, length, blocks) in enumerate(kernels):
        said = {BLOCKS: blocks} if blocks else {}
        built.launch(0, 1, runs=(start, start + length), stream=number, **said)
    facts = Facts(built.trace())
    edges = np.linspace(0, 500_000, count + 1).astype(np.int64) + facts.origin_ns
    cover = kernel_cover(facts, facts.work.kernels_of[0])
    means = cover.mean_share(edges)
    assert ((means >= 0) & (means <= 1 + 1e-9)).all()
    whole = cover.mean_share(edges[[0, -1]])[0]
    assert (means * np.diff(edges)).sum() / (edges[-1] - edges[0]) == pytest.approx(whole)
    share, empty_ns = cover.in_buckets(edges)
    # Where nothing runs, nothing is covered.
    assert (share[empty_ns == np.diff(edges)] == 0).all()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("kineto_resnet50_nw0/worker0.1623143089861", (55.51, 54.68, 49.13)),
        ("kineto_resnet50_nw4/worker0.1623212756351", (70.27, 69.22, 48.91)),
    ],
)
def test_the_recordings_that_torch_tb_profiler_comes_with(
    name: str, shown: tuple[float, ...], traces: Path, public_report: Callable[[Path], Report]
) -> None:
    (use,) = public_report(traces / f"{name}.pt.trace.json.gz").gpu_use
    assert use.sm_efficiency is not None and use.occupancy is not None
    figures = (use.utilization, use.sm_efficiency, use.occupancy)
    assert tuple(round(100 * figure, 2) for figure in figures) == shown


def test_a_window_without_kernels_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.op("aten::mm", 10, 20)
    assert gpu_use(Facts(built.trace())) == ()
