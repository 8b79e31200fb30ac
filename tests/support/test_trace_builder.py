"""The builder writes what the files of each era look like, and the reader reads it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from trace_builder import TraceBuilder

from tbprof.trace.columns.columns import Category
from tbprof.trace.importers.kineto.reader import read_trace

ERAS = ("2021", "2022", "2023", "2024+")


def a_readback(era: str) -> TraceBuilder:
    built = TraceBuilder(era)
    built.step(6, 0, 1000)
    built.op("aten::item", 100, 400)
    built.launch(10, 20, runs=(30, 250))
    built.copy("DtoH", "pageable", 110, 300, runs=(250, 300), size_bytes=4)
    built.synchronize("cudaStreamSynchronize", 301, 310)
    built.memory(5, 512)
    return built


@pytest.mark.parametrize("era", ERAS)
def test_the_reader_recognizes_each_era(era: str) -> None:
    assert a_readback(era).trace().era == era


@pytest.mark.parametrize("era", ERAS)
def test_the_same_lines_are_the_same_trace_in_each_era(era: str) -> None:
    trace = a_readback(era).trace()
    built = a_readback(era)

    start = (trace.slices.start_ns - built.origin_ns).tolist()
    assert start == [0, 100_000, 10_000, 30_000, 110_000, 250_000, 301_000]
    assert trace.slices.duration_ns.tolist()[:3] == [1_000_000, 300_000, 10_000]
    assert [Category(c) for c in trace.slices.category.tolist()] == [
        Category.USER_ANNOTATION,
        Category.CPU_OP,
        Category.RUNTIME,
        Category.KERNEL,
        Category.RUNTIME,
        Category.MEMCPY,
        Category.RUNTIME,
    ]
    assert trace.slices.correlation.tolist() == [-1, -1, 1001, 1001, 1002, 1002, 1003]
    assert trace.bytes.values.tolist() == [4]
    assert trace.stream.values.tolist() == [7, 7]
    assert trace.num_events == 7 + 4 + 1


def test_files_of_2021_name_streams_and_threads_in_words_and_count_whole_us() -> None:
    kernel = next(e for e in a_readback("2021").events if e.get("cat") == "Kernel")
    call = next(e for e in a_readback("2021").events if e.get("cat") == "Runtime")

    assert (kernel["pid"], kernel["tid"], kernel["dur"]) == (0, "stream 7", 220)
    assert isinstance(kernel["ts"], int)
    assert call["tid"] == "100"


def test_files_of_2022_and_2023_give_the_correlation_as_external_id() -> None:
    for era, external_id in (("2022", 1001), ("2023", 1001), ("2024+", None)):
        call = next(e for e in a_readback(era).events if e["name"] == "cudaLaunchKernel")
        assert call["args"].get("External id") == external_id


def test_decimals_of_2024_survive_to_the_ns() -> None:
    built = TraceBuilder()
    built.op("aten::add", 0.001, 1234.568)

    slices = built.trace().slices
    assert slices.start_ns.tolist() == [built.origin_ns + 1]
    assert slices.duration_ns.tolist() == [1_234_567]


def test_what_an_era_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="no rows of the kind 'frame'"):
        TraceBuilder("2021").frame("train.py(1): step", 0, 1)
    with pytest.raises(ValueError, match="no rows of the kind 'sync'"):
        TraceBuilder("2022").synchronize("cudaStreamSynchronize", 0, 1, awaited=7)
    with pytest.raises(ValueError, match="whole us"):
        TraceBuilder("2023").op("aten::add", 0.5, 1)


def test_rocm_takes_pinned_memory_for_the_device_and_says_the_direction_in_the_call() -> None:
    built = TraceBuilder(vendor="hip")
    built.copy("DtoH", "pinned", 0, 10, runs=(2, 8))
    built.copy("HtoD", "pageable", 20, 30, runs=(22, 28))

    read, record, upload, uploaded = (e for e in built.events if e["ph"] == "X")
    assert (read["name"], read["args"]["kind"]) == ("hipMemcpyWithStream", "2")
    assert record["name"] == "Memcpy DtoD (Device -> Device)"
    assert upload["args"]["kind"] == "1"
    assert uploaded["name"] == "Memcpy HtoD (Host -> Device)"


def test_a_packed_file_reads_the_same(tmp_path: Path) -> None:
    plain = read_trace(a_readback("2024+").write(tmp_path / "w.json"))
    packed = read_trace(a_readback("2024+").write(tmp_path / "w.json.gz", gz=True))

    assert packed.names == plain.names
    assert packed.slices.start_ns.tolist() == plain.slices.start_ns.tolist()
