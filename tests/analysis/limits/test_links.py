"""The rate of a card's link, by its name."""

from __future__ import annotations

import pytest

from tbprof.analysis.limits.links import pinned_bytes_per_ns


@pytest.mark.parametrize(
    ("device", "link"),
    [
        ("Tesla T4", 15.8),
        ("NVIDIA GeForce RTX 2080 Ti", 15.8),
        ("NVIDIA RTX 2000 Ada Generation", 15.8),
        ("NVIDIA A2", 15.8),
        ("NVIDIA GeForce RTX 4060 Ti", 15.8),
        ("NVIDIA GeForce RTX 4090", 31.5),
        ("NVIDIA RTX 4000 Ada Generation", 31.5),
        ("NVIDIA RTX A2000 12GB", 31.5),
        ("NVIDIA A100-SXM4-80GB", 31.5),
        ("AMD Instinct MI250X", 31.5),
        ("NVIDIA GeForce RTX 5060 Ti", 31.5),
        ("NVIDIA GeForce RTX 5090", 63.0),
        ("NVIDIA H100 80GB HBM3", 63.0),
        ("AMD Instinct MI300X", 63.0),
        ("AMD Instinct MI325X", 63.0),
    ],
)
def test_the_rate_is_nine_tenths_of_the_link(device: str, link: float) -> None:
    assert pinned_bytes_per_ns(device) == pytest.approx(0.9 * link)


@pytest.mark.parametrize(
    "device",
    ["AMD Instinct MI300A", "NVIDIA GH200 480GB", "NVIDIA GB200", ""],
)
def test_what_has_no_such_link_has_no_rate(device: str) -> None:
    assert pinned_bytes_per_ns(device) is None
