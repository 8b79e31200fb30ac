"""What kernels cost, by hand-made traces and against others' figures of public ones."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import classic_tables
import pytest
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_names import Compiled
from tbprof.analysis.figures.kernel_table import Configuration, KernelTable, kernel_table
from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.reading import read_trace
from tbprof.views.steady import us


def kernel(built: TraceBuilder, runs: tuple[float, float], name: str = "mm", **args: Any) -> None:
    built.launch(runs[0] - 5, runs[0] - 4, runs=runs, name=name)
    rows = [event for event in built.events if event.get("cat") in ("kernel", "Kernel")]
    rows[-1]["args"] |= args


def table_of(built: TraceBuilder, *, in_steps: bool = False) -> KernelTable:
    return kernel_table(facts_of(built), in_steps=in_steps)


def test_blocks_and_occupancy_are_weighted_by_duration() -> None:
    built = TraceBuilder()
    occupancy = "est. achieved occupancy %"
    kernel(built, (10, 30), **{"blocks per SM": 0.5, occupancy: 10})
    kernel(built, (40, 65), **{"blocks per SM": 10.5, occupancy: 100})
    (row,) = table_of(built).rows
    assert row.blocks_per_sm == pytest.approx((0.5 * 20 + 10.5 * 25) / 45)
    assert row.occupancy_percent == pytest.approx((10 * 20 + 100 * 25) / 45)


def test_what_one_of_several_kernels_lacks_counts_as_nothing_and_what_all_lack_is_not_known() -> None:
    built = TraceBuilder()
    kernel(built, (10, 30), "a", **{"blocks per SM": 2})
    kernel(built, (40, 60), "a")
    kernel(built, (70, 80), "b")
    first, second = table_of(built).rows
    assert (first.blocks_per_sm, second.blocks_per_sm) == (1.0, None)
    assert (first.occupancy_percent, second.configuration.grid) == (None, None)


def test_a_kernel_of_torch_compile_names_the_file_with_most_time_and_its_block_sizes() -> None:
    built = TraceBuilder()
    for start, took, file in ((0, 5, "/tmp/a.py"), (100, 20, "/tmp/b.py")):
        built.op("triton_poi_fused_add_0", start, start + 10)
        built.events[-1]["args"] |= {"kernel_file": file, "kernel_kwargs": f"XBLOCK={took}"}
        kernel(built, (start + 6, start + 6 + took), "triton_poi_fused_add_0")
    kernel(built, (200, 210), "mm")
    compiled, other = table_of(built).rows
    assert (compiled.compiled, other.compiled) == (Compiled("/tmp/b.py", "XBLOCK=20"), None)


def test_a_row_shows_the_configuration_with_most_time() -> None:
    built = TraceBuilder()
    args = {"block": [128, 1, 1], "registers per thread": 32, "shared memory": 0}
    kernel(built, (10, 20), grid=[1, 1, 1], **args)
    kernel(built, (30, 55), grid=[9, 1, 1], **args)
    kernel(built, (60, 70), grid=[1, 1, 1], **args)
    (row,) = table_of(built).rows
    assert row.configuration == Configuration("[9,1,1]", "[128,1,1]", 32, 0, count=2)


def test_the_table_holds_kernels_alone_and_of_the_steps_those_launched_in_them() -> None:
    built = TraceBuilder()
    kernel(built, (10, 12), "early")
    built.step(1, 50, 200)
    kernel(built, (60, 70), "late")
    built.memset(80, 81, runs=(90, 95))
    built.copy("HtoD", "pinned", 100, 105, runs=(110, 120))
    assert [row.name for row in table_of(built).rows] == ["late", "early"]
    steps = table_of(built, in_steps=True)
    assert ([row.name for row in steps.rows], steps.total_ns) == (["late"], 10_000)


def test_durations_say_how_many_kernels_are_short() -> None:
    built = TraceBuilder()
    for at, length in enumerate((0.5, 9.999, 10, 20_000)):
        kernel(built, (30_000 * at + 10, 30_000 * at + 10 + length))
    durations = table_of(built).durations
    assert (durations.short_calls, durations.short_ns) == (2, 10_499)
    held = [(one.from_ns, one.calls) for one in durations.bins if one.calls]
    assert held == [(0, 1), (5_000, 1), (10_000, 1), (10_000_000, 1)]
    assert durations.bins[-1].below_ns is None


def test_no_kernel_at_all_is_an_empty_table() -> None:
    built = TraceBuilder()
    built.op("aten::mm", 0, 10)
    table = table_of(built)
    assert (table.rows, table.sequences, table.total_ns, table.durations.short_calls) == ((), (), 0, 0)


PEERS = (
    "h100_bert_small_infer",
    "mi300_bert_small_infer",
    pytest.param("h100_qwen_infer", marks=pytest.mark.exhaustive),
    pytest.param("h100_timesformer_infer", marks=pytest.mark.exhaustive),
    pytest.param("h100_owlv2_infer", marks=pytest.mark.exhaustive),
)


@pytest.mark.parametrize("name", PEERS)
def test_kernels_are_those_of_tracelens(traces: Path, name: str) -> None:
    facts = Facts(read_trace(next((traces / name).glob("*.json.gz")), tables=ALL_TABLES))
    ours = {row.name: (row.calls, row.total_ns) for row in kernel_table(facts).rows}
    theirs: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    path = traces / name / "peer_figures" / "kernel_summary.csv"
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            calls, ns = theirs[row["Kernel name"]]
            more = (
                int(row["Kernel duration (µs)_count"]),
                round(1000 * float(row["Kernel duration (µs)_sum"])),
            )
            theirs[row["Kernel name"]] = (calls + more[0], ns + more[1])
    assert {name: figures for name, figures in theirs.items() if not name.startswith("Mem")} == ours


@pytest.mark.parametrize("name", classic_tables.NAMES)
def test_all_rows_are_those_of_torch_tb_profilers_own_tests(traces: Path, name: str) -> None:
    rows = kernel_table(Facts(read_trace(classic_tables.trace_of(traces, name), tables=ALL_TABLES))).rows
    theirs = classic_tables.kernels(name)
    assert {
        row.name: (row.calls, *map(us, (row.total_ns, row.max_ns, row.min_ns)), row.tensor_cores)
        for row in rows
    } == {name: row.figures for name, row in theirs.items()}
    means = {row.name: (row.blocks_per_sm, row.occupancy_percent) for row in rows}
    for kernel, row in theirs.items():
        assert means[kernel] == pytest.approx(row.means, abs=0.0051), kernel
