"""Exports of Nsight Systems: what its tables hold is what the trace holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from nsight_export import GLOBAL_PID, OTHER_PID, write_export

from tbprof.errors import NotATrace, TraceTooLarge
from tbprof.report import build_report
from tbprof.trace.columns.columns import Category
from tbprof.trace.importers.nsight_conversion import convert_nsight
from tbprof.trace.importers.unpacked import MAX_BYTES_VARIABLE
from tbprof.trace.reading import read_trace

TABLES = {
    Category.KERNEL: "CUPTI_ACTIVITY_KIND_KERNEL",
    Category.MEMCPY: "CUPTI_ACTIVITY_KIND_MEMCPY",
    Category.SYNC: "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    Category.RUNTIME: "CUPTI_ACTIVITY_KIND_RUNTIME",
}


def test_counts_and_times_are_those_of_a_query(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    slices = read_trace(path).slices
    with sqlite3.connect(path) as connection:
        queried = {
            category: connection.execute(f"SELECT count(*), sum(end - start) FROM {table}").fetchone()
            for category, table in TABLES.items()
        }
    connection.close()
    found = {category: slices.duration_ns[slices.category == category] for category in TABLES}
    assert {category: (len(times), int(times.sum())) for category, times in found.items()} == queried


def test_each_of_eight_ranks_has_what_a_query_counts_of_it(tmp_path: Path) -> None:
    processes = tuple((1 << 48) | (pid << 24) for pid in range(100, 108))
    path = write_export(tmp_path / "job.sqlite", processes=processes, num_steps=10)
    with sqlite3.connect(path) as connection:
        for index, process in enumerate(processes):
            connection.execute(
                "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = ? AND correlationId < ?",
                (process, 10 * index),
            )
        queried = [
            tuple(
                connection.execute(
                    f"SELECT count(*), sum(end - start) FROM {table} WHERE {of} >> 24 = ?", (process >> 24,)
                ).fetchone()
                for table, of in ((table, _process_of(table)) for table in TABLES.values())
            )
            for process in processes
        ]
    connection.close()
    converted = convert_nsight(path, tmp_path)
    assert [(one.host, one.pid) for one in converted] == [("node.one", pid) for pid in range(100, 108)]
    read = [read_trace(one.path).slices for one in converted]
    of_category = [
        [slices.duration_ns[slices.category == category] for category in TABLES] for slices in read
    ]
    assert [tuple((len(t), int(t.sum())) for t in times) for times in of_category] == queried
    assert len({kernels for (kernels, _), *_ in queried}) == len(processes)


def _process_of(table: str) -> str:
    return "globalTid" if table.endswith("RUNTIME") else "globalPid"


def test_a_report_knows_steps_sync_points_copies_and_the_device(tmp_path: Path) -> None:
    report = build_report(write_export(tmp_path / "recording.sqlite"))
    assert [step.name for step in report.steps] == ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"]
    assert report.trace.devices == ("NVIDIA H100",)
    assert [(site.direction, site.memory, site.count) for site in report.sites] == [("DtoH", "pageable", 3)]


def test_of_several_processes_the_command_that_imports_them_is_named(tmp_path: Path) -> None:
    path = write_export(tmp_path / "job.sqlite", processes=(GLOBAL_PID, OTHER_PID))
    with pytest.raises(NotATrace, match=r"2 processes.*tbprof import"):
        read_trace(path)


def test_a_table_without_processes_is_of_one(tmp_path: Path) -> None:
    path = write_export(tmp_path / "old.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid")
    connection.close()
    assert (read_trace(path).slices.category == Category.KERNEL).sum() == 3


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ("DROP TABLE StringIds", "none of Nsight Systems"),
        ("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;"
         "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME", "no rows of CUDA"),
        # What a view computes could take for ever.
        ("DROP TABLE StringIds; CREATE VIEW StringIds AS WITH RECURSIVE n(id) AS"
         "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, id AS value FROM n", "none of Nsight Systems"),
    ],
)  # fmt: skip
def test_another_database_is_told_apart(tmp_path: Path, statements: str, message: str) -> None:
    path = write_export(tmp_path / "other.sqlite")
    with sqlite3.connect(path) as connection:
        connection.executescript(statements)
    connection.close()
    with pytest.raises(NotATrace, match=message):
        read_trace(path)


@pytest.mark.parametrize("kept", [16, 5_000, 30_000])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, kept: int) -> None:
    path = write_export(tmp_path / "damaged.sqlite")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(NotATrace, match=r"damaged\.sqlite is damaged"):
        read_trace(path)


def test_what_it_makes_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MAX_BYTES_VARIABLE, "1000")
    with pytest.raises(TraceTooLarge, match=r"recording\.sqlite makes too large a trace"):
        read_trace(write_export(tmp_path / "recording.sqlite"))


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (b"evaluation", "evaluation"),
        ("évaluation".encode("utf-16-le"), "évaluation"),
        (b"evaluation\0", "evaluation"),
        (b"\xff evaluation", "\ufffd evaluation"),
    ],
)
def test_a_range_whose_text_is_stored_as_bytes_is_read(tmp_path: Path, stored: bytes, shown: str) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE NVTX_EVENTS SET text = ? WHERE rowid = 1", (stored,))
    connection.close()
    assert shown in read_trace(path).names


def test_a_display_adapter_of_another_vendor_is_no_device_of_cuda(tmp_path: Path) -> None:
    """Windows lists them with the number 0 as well, and no multiprocessors."""
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE TARGET_INFO_GPU ADD COLUMN smCount INTEGER DEFAULT 132")
        connection.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 1, 'Microsoft Basic Render Driver', 0, 0)")
    connection.close()
    assert build_report(path).trace.devices == ("NVIDIA H100",)


def test_a_copy_to_an_array_is_an_upload(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 3, srcKind = 0, dstKind = 3")
    connection.close()
    assert {copy.direction for copy in build_report(path).copies} == {"HtoD"}


def test_a_size_that_is_a_text_is_none(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET staticSharedMemory = 'abc'")
    connection.close()
    assert build_report(path).trace.num_events > 0


def test_steps_recorded_as_whole_graphs_are_those_recorded_as_kernels(tmp_path: Path) -> None:
    """Nsight Systems records a launch of a graph as one row, unless it is asked for the graph's nodes."""
    plain = write_export(tmp_path / "plain.sqlite", processes=(GLOBAL_PID, OTHER_PID))
    graph = write_export(tmp_path / "graph.sqlite", processes=(GLOBAL_PID, OTHER_PID))
    with sqlite3.connect(graph) as connection:
        connection.execute(_AS_GRAPHS)
        connection.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
        connection.execute("DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE globalPid = ?", (OTHER_PID,))
    connection.close()
    (kernels, _), (graphs, other) = (
        [build_report(one.path) for one in convert_nsight(path, path.parent)] for path in (plain, graph)
    )
    assert graphs.idle == kernels.idle
    assert graphs.sync_points == kernels.sync_points
    assert other.idle is not None
    read = read_trace(convert_nsight(graph, tmp_path)[0].path)
    names = [read.names[at] for at in read.slices.name[read.slices.category == Category.KERNEL]]
    assert names == ["CUDA graph 5"] * 3


_AS_GRAPHS = """
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE AS SELECT start, end, deviceId, contextId,
    NULL AS greenContextId, streamId, correlationId, globalPid, 0 AS endDeviceId, shortName AS graphId
    FROM CUPTI_ACTIVITY_KIND_KERNEL
"""


def test_a_graph_whose_nodes_are_recorded_counts_once(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute(_AS_GRAPHS)
    connection.close()
    slices = read_trace(path).slices
    assert (slices.category == Category.KERNEL).sum() == 3


def test_gaps_that_a_whole_graph_hides_are_said_to_be_hidden(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute(_AS_GRAPHS)
        connection.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = 1")
    connection.close()
    (said,) = convert_nsight(path, tmp_path)[0].not_read
    assert said == "gaps inside CUDA graphs, which need nsys profile --cuda-graph-trace=node"
    trace = read_trace(path)
    (fact,) = (fact for fact in trace.health if fact.code == "graphs_whole")
    slices = trace.slices
    whole = [trace.names[name].startswith("CUDA graph") for name in slices.name.tolist()]
    on_gpu = np.isin(slices.category, (Category.KERNEL, Category.MEMCPY, Category.MEMSET))
    assert (fact.severity, fact.numbers["rows"]) == ("warning", 1)
    part = slices.duration_ns[whole].sum() / slices.duration_ns[on_gpu].sum()
    assert fact.numbers["share"] == pytest.approx(part)


def test_graphs_of_which_all_nodes_are_there_hide_nothing(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute(_AS_GRAPHS)
    connection.close()
    assert convert_nsight(path, tmp_path)[0].not_read == ()
    assert "graphs_whole" not in [fact.code for fact in read_trace(path).health]


def test_device_work_that_is_not_read_is_named(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE VULKAN_WORKLOAD (start INTEGER, end INTEGER)")
        connection.execute("CREATE TABLE DX12_WORKLOAD (start INTEGER, end INTEGER)")
        connection.execute("INSERT INTO VULKAN_WORKLOAD VALUES (1, 2)")
    connection.close()
    assert convert_nsight(path, tmp_path)[0].not_read == ("VULKAN_WORKLOAD",)


def test_a_time_that_no_recording_has_is_none(tmp_path: Path) -> None:
    path = write_export(tmp_path / "recording.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807 WHERE rowid = 1")
    connection.close()
    slices = read_trace(path).slices
    assert (slices.category == Category.KERNEL).sum() == 2
