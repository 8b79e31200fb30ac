"""Found points against witnessed ones, on a recording whose every wait is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recorded_witnesses import Agreement, agreement, read_programs
from scenes import read_scalar
from trace_builder import TraceBuilder

STEPS = 3


def witness_row(step: int, function: str, line: int) -> dict[str, Any]:
    return {"step": step, "file": "programs/train.py", "function": function, "line": line}


def trace_of(folder: Path) -> str:
    """Three steps; in each `log` reads a scalar, and `save` asks a pageable copy not to block."""
    built = TraceBuilder()
    for number in range(STEPS):
        at = 1000.0 * number
        built.step(number, at, at + 1000)
        built.frame("programs/train.py(10): save", at + 10, at + 60)
        built.copy("DtoH", "pageable", at + 20, at + 50, runs=(at + 30, at + 48), size_bytes=1 << 20)
        built.launch(at + 100, at + 110, runs=(at + 120, at + 400))
        built.frame("programs/train.py(20): log", at + 190, at + 450)
        read_scalar(built, at + 200, wait=220)
    name = "window.pt.trace.json"
    built.write(folder / name)
    return name


def write_recording(
    folder: Path, sync_debug: list[dict[str, Any]] | None, gpu_trace: list[dict[str, Any]] | None
) -> None:
    windows = [{"variant": "stacks", "path": trace_of(folder)}]
    passes = {
        "time": {"sync_debug": sync_debug},
        "callback": {"gpu_trace": gpu_trace},
        "window": {"windows": windows},
    }
    (folder / "programs.json").write_text(json.dumps({"programs": {"train": passes}}), encoding="utf-8")


def test_a_read_that_a_witness_saw_is_found_and_nothing_else(tmp_path: Path) -> None:
    write_recording(tmp_path, [witness_row(step, "log", 21) for step in range(STEPS)], None)
    (program,) = read_programs(tmp_path)
    assert agreement(program) == Agreement(
        found=1,
        witnessed=1,
        points_agreed=1,
        trace_only=1,
        sites_found=1,
        sites_witnessed=1,
        sites_agreed=1,
    )


def test_the_truth_is_the_union_of_the_witnesses(tmp_path: Path) -> None:
    write_recording(tmp_path, [witness_row(0, "log", 21)], [witness_row(0, "end", 30)])
    (program,) = read_programs(tmp_path)
    told = agreement(program)
    assert (told.witnessed, told.found, told.points_agreed) == (2, 1, 1)


def test_a_wait_that_no_witness_saw_counts_against_precision(tmp_path: Path) -> None:
    write_recording(tmp_path, [], None)
    (program,) = read_programs(tmp_path)
    told = agreement(program)
    assert (told.witnessed, told.found, told.points_agreed) == (0, 1, 0)


def test_a_program_without_any_witness_is_left_aside(tmp_path: Path) -> None:
    write_recording(tmp_path, None, None)
    assert list(read_programs(tmp_path)) == []
