"""Found points against witnessed ones, on a recording whose every wait is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recorded_lines import STEPS, unpack_programs
from recorded_witnesses import AUTOGRAD, Agreement, agreement, read_programs
from scenes import read_scalar
from trace_builder import TraceBuilder

FILE = "recording/programs/train.py"
PROGRAM = """
def save():
    copy()


class Log:
    @staticmethod
    def log():
        read()


def end(): wait()
"""


def witness_row(step: int, line: int | None, library_frame: str | None = None) -> dict[str, Any]:
    file = None if line is None else FILE
    return {"step": step, "file": file, "line": line, "library_frame": library_frame}


def trace_of(folder: Path) -> str:
    """Three steps; in each `log` reads a scalar, and `save` asks a pageable copy not to block."""
    built = TraceBuilder()
    for number in range(STEPS):
        at = 1000.0 * number
        built.step(number, at, at + 1000)
        built.frame(f"{FILE}(2): save", at + 10, at + 60)
        built.copy("DtoH", "pageable", at + 20, at + 50, runs=(at + 30, at + 48), size_bytes=1 << 20)
        built.launch(at + 100, at + 110, runs=(at + 120, at + 400))
        built.frame(f"{FILE}(7): log", at + 190, at + 450)
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
    source = folder / "source" / FILE
    source.parent.mkdir(parents=True)
    source.write_text(PROGRAM, encoding="utf-8")
    (folder / "programs.json").write_text(json.dumps({"programs": {"train": passes}}), encoding="utf-8")


def test_a_read_that_a_witness_saw_is_found_and_nothing_else(tmp_path: Path) -> None:
    write_recording(tmp_path, [witness_row(step, 9) for step in range(STEPS)], None)
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
    ends = [witness_row(step, 12) for step in range(STEPS)]
    write_recording(tmp_path, [witness_row(step, 9) for step in range(STEPS)], ends)
    (program,) = read_programs(tmp_path)
    told = agreement(program)
    assert (told.witnessed, told.found, told.points_agreed) == (2, 1, 1)


def test_what_waits_in_one_step_of_many_is_no_wait_of_a_step(tmp_path: Path) -> None:
    write_recording(tmp_path, [witness_row(0, 12)], None)
    (program,) = read_programs(tmp_path)
    assert program.waits == {}


def test_a_warning_repeated_at_backward_is_the_wait_that_autograds_thread_had(tmp_path: Path) -> None:
    repeated = [witness_row(step, 12, "autograd/graph.py:869 _engine_run_backward") for step in range(STEPS)]
    write_recording(tmp_path, repeated, [witness_row(step, None) for step in range(STEPS)])
    (program,) = read_programs(tmp_path)
    assert program.waits == {AUTOGRAD: 1}


def test_a_wait_that_no_witness_saw_counts_against_precision(tmp_path: Path) -> None:
    write_recording(tmp_path, [], None)
    (program,) = read_programs(tmp_path)
    told = agreement(program)
    assert (told.witnessed, told.found, told.points_agreed) == (0, 1, 0)


def test_a_program_without_any_witness_is_left_aside(tmp_path: Path) -> None:
    write_recording(tmp_path, None, None)
    assert list(read_programs(tmp_path)) == []


def test_on_a_gpu_each_witnessed_wait_is_found_and_no_others(tmp_path: Path) -> None:
    programs = read_programs(unpack_programs(tmp_path, "stacks"))
    told = {program.name: agreement(program) for program in programs}
    assert {each.points_agreed for each in told.values()} == {0, 1, 2, 3, 4, 237}
    for each in told.values():
        assert each.found == each.witnessed == each.points_agreed
        assert each.sites_found == each.sites_witnessed == each.sites_agreed
    beyond = {name[:10]: each.trace_only for name, each in told.items() if each.trace_only}
    assert beyond == {
        # Eight of cuSOLVER's own in `linalg.eigh`, and a pageable copy that was asked not to block.
        "operations": 9,
        # Only the callbacks see `cuda.synchronize()`, and they were not recorded.
        "patch-6-cr": 1,
        "patch-7-co": 1,
    }
