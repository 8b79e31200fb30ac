"""The user's own range and the module around a call."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.model import Site


def site_of(built: TraceBuilder) -> Site:
    built.synchronize("cudaStreamSynchronize", 50, 60)
    return built.report().sites[0]


def test_the_label_is_the_innermost_range_of_the_user() -> None:
    built = TraceBuilder()
    built.annotation("epoch", 0, 100)
    built.annotation("loss", 40, 70)
    built.annotation("elsewhere", 70, 80)
    assert site_of(built).label == "loss"


@pytest.mark.parametrize(
    "made_by_torch",
    [
        "ProfilerStep#6",
        "Optimizer.step#AdamW.step",
        "Optimizer.zero_grad#SGD.zero_grad",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "nccl:all_reduce",
        "DistributedDataParallel.forward",
        "Torch-Compiled Region: 0/0",
    ],
)
def test_ranges_that_torch_opens_are_no_labels(made_by_torch: str) -> None:
    built = TraceBuilder()
    built.annotation("epoch", 0, 100)
    built.annotation(made_by_torch, 40, 70)
    assert site_of(built).label == "epoch"


def test_a_range_as_it_looks_on_the_device_is_no_label() -> None:
    built = TraceBuilder()
    built.gpu_annotation("loss", 0, 100)
    assert site_of(built).label is None


def test_a_range_of_another_thread_is_no_label() -> None:
    built = TraceBuilder()
    built.annotation("loss", 0, 100, thread=SIDE)
    assert site_of(built).label is None


def test_the_module_is_the_innermost_one_without_its_prefix() -> None:
    built = TraceBuilder()
    built.frame("nn.Module: Net_0", 0, 100)
    built.frame("nn.Module: Linear_3", 40, 70)
    built.frame("train.py(3): forward", 45, 65)
    assert site_of(built).module == "Linear_3"


def test_a_site_has_the_label_that_most_of_its_waits_have() -> None:
    built = TraceBuilder()
    for start, label in ((0, "train"), (100, "check"), (200, "check")):
        built.annotation(label, start, start + 90)
        built.synchronize("cudaStreamSynchronize", start + 10, start + 20)
    (site,) = built.report().sites
    assert (site.count, site.label) == (3, "check")
