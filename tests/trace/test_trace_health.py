"""What a file lacks or has lost is said in numbers."""

from __future__ import annotations

from pathlib import Path

from trace_samples import a_step, classic, complete, health_numbers, kernel, write

from tbprof.trace.health import CODES
from tbprof.trace.reader import read_trace

LAUNCH = complete("cudaLaunchKernel", 100.0, 5.0, "cuda_runtime", correlation=1)


def health(folder: Path, *events: dict) -> dict[str, dict]:
    return health_numbers(read_trace(write(folder, classic(events))))


def test_a_whole_file_has_nothing_to_say(tmp_path: Path) -> None:
    assert health(tmp_path, *a_step()) == {}


def test_no_gpu_work(tmp_path: Path) -> None:
    assert health(tmp_path, LAUNCH) == {"no_gpu_rows": {"rows": 1}}


def test_work_whose_call_is_missing(tmp_path: Path) -> None:
    without = {**kernel("b", 130.0, 5.0, 0), "args": {"device": 0, "stream": 7}}
    work = [kernel("a", 110.0, 5.0, 1), without, kernel("c", 140.0, 5.0, 2)]

    assert health(tmp_path, LAUNCH, *work) == {"gpu_rows_without_launch": {"rows": 2, "of": 3}}


def test_a_correlation_of_0_joins_both_sides(tmp_path: Path) -> None:
    launch = complete("cudaLaunchKernel", 100.0, 5.0, "cuda_runtime", correlation=0)

    assert health(tmp_path, launch, kernel("a", 110.0, 5.0, 0)) == {}


def test_clocks_that_disagree(tmp_path: Path) -> None:
    assert health(tmp_path, LAUNCH, kernel("a", 90.0, 5.0, 1)) == {}
    assert health(tmp_path, LAUNCH, kernel("a", 89.999, 5.0, 1)) == {
        "gpu_before_launch": {"rows": 1, "worst_ns": 10001}
    }


def test_durations_below_zero(tmp_path: Path) -> None:
    odd = complete("a", 1.0, -3.0)

    assert health(tmp_path, odd, *a_step()) == {"negative_durations": {"rows": 1}}


def test_every_code_has_a_sentence(tmp_path: Path) -> None:
    damaged = classic([complete("a", 1, -1), *a_step()], head={"tbprof": 1, "bad": 0})
    damaged = damaged.replace(b'"bad": 0', b'"bad": oops')[:-400].replace(b"aten::add", b"aten\0add")
    seen = {fact.code: fact for fact in read_trace(write(tmp_path, damaged, packed=True)).health}

    assert set(seen) <= set(CODES)
    assert {"truncated", "text_repaired", "facts_damaged", "metadata_damaged"} <= set(seen)
    assert all(sentence.endswith(".") for sentence in CODES.values())
