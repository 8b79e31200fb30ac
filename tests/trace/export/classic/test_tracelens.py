"""What torch-tb-profiler shows of a copy against the tables of TraceLens, which it knows nothing of."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from classic_plugin import costs, operators, shown_of

# The plugin's own use of pandas is out of date.
pytestmark = pytest.mark.filterwarnings("ignore")

PEERS = (
    "h100_bert_small_infer",
    "mi300_bert_small_infer",
    pytest.param("h100_qwen_infer", marks=pytest.mark.exhaustive),
    pytest.param("h100_timesformer_infer", marks=pytest.mark.exhaustive),
    pytest.param("h100_owlv2_infer", marks=pytest.mark.exhaustive),
)


@pytest.mark.parametrize("name", PEERS)
def test_the_copy_shows_operators_kernels_and_copies_as_tracelens_counts_them(
    traces: Path, name: str
) -> None:
    """It adds up float32 times, hence the tolerance."""
    tables = traces / name / "peer_figures"
    profile = shown_of(next((traces / name).glob("*.json.gz")))
    ours = operators(profile)
    theirs = {
        row["name"]: float(row["total_direct_kernel_time_sum"]) for row in rows(tables / "ops_summary.csv")
    }
    assert {op: ours[op].self_device_duration for op in theirs} == pytest.approx(theirs, rel=1e-3)
    kernels = profile.kernel_stat.to_dict("index")
    shown = {
        # The copy tells the plugin so of those on tensor cores that it does not know.
        kernel.removesuffix(" [hmma]"): (figures["count"], figures["sum"])
        for kernel, figures in kernels.items()
    }
    assert shown == kernels_of(tables / "kernel_summary.csv")
    exposed_ms = {row["type"]: float(row["time ms"]) for row in rows(tables / "gpu_timeline.csv")}
    assert costs(profile)["Memcpy"] / 1000 == pytest.approx(exposed_ms["exposed_memcpy_time"], rel=1e-3)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kernels_of(path: Path) -> dict[str, tuple[int, object]]:
    """How often each kernel ran, and for how many us; copies and memsets are none."""
    count: dict[str, int] = defaultdict(int)
    total: dict[str, float] = defaultdict(float)
    for row in rows(path):
        if not row["Kernel name"].startswith(("Memcpy", "Memset")):
            count[row["Kernel name"]] += int(row["Kernel duration (µs)_count"])
            total[row["Kernel name"]] += float(row["Kernel duration (µs)_sum"])
    return {name: (count[name], pytest.approx(total[name], rel=1e-3)) for name in count}
