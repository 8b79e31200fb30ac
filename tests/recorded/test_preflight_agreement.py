"""Predicted lines beside witnesses and marks, on programs that were recorded on a CPU."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from preflight_agreement import PredictedProgram, compare, predicted_programs
from recorded_lines import unpack_programs

RECORDED_ON_A_CPU = Path(__file__).parents[1] / "data" / "programs_on_a_cpu"
FILE = "recording/programs/small_gpt.py"


@pytest.fixture(scope="module")
def programs() -> dict[str, PredictedProgram]:
    return {each.name: each for each in predicted_programs(RECORDED_ON_A_CPU)}


@pytest.mark.parametrize("name", ["patch-0-before", "patch-1-constant", "patch-3-index", "gpt-guarded"])
def test_the_marked_lines_are_predicted_and_no_others(
    programs: dict[str, PredictedProgram], name: str
) -> None:
    program = programs[name]
    assert program.predicted == program.marked
    assert (name == "patch-3-index") == (program.marked == frozenset())


def test_the_derivative_of_a_mask_waits_at_backward_where_no_author_marked_it(
    programs: dict[str, PredictedProgram],
) -> None:
    told = compare(programs["gpt-mask"], programs["gpt-mask"].marked, frozenset())
    assert (told.both, told.missed, told.unexpected) == (1, frozenset(), {(FILE, 92)})


def test_no_witness_could_see_memory_going_back_to_the_driver(
    programs: dict[str, PredictedProgram],
) -> None:
    program = programs["empty-cache"]
    assert program.predicted == program.unwitnessable == program.marked
    assert compare(program, frozenset(), program.unwitnessable).unexpected == frozenset()


def test_a_read_inside_a_backward_pass_may_be_told_at_its_call(programs: dict[str, PredictedProgram]) -> None:
    program = programs["operations"]
    inside, call = ("recording/programs/operations.py", 98), ("recording/programs/operations.py", 239)
    assert inside in program.predicted
    assert call in program.said_elsewhere
    assert compare(program, frozenset({inside, call}), frozenset()).missed == frozenset()


def test_a_program_that_needs_a_gpu_says_why_nothing_is_predicted(
    programs: dict[str, PredictedProgram],
) -> None:
    assert "CUDA graphs" in programs["cuda-graph"].error
    assert programs["cuda-graph"].predicted == frozenset()


def test_the_witnessed_lines_are_the_union_of_both_witnesses(tmp_path: Path) -> None:
    before = sys.modules.get("recording")
    (program,) = predicted_programs(witnessed(tmp_path, sync_debug=[row(104), row(104)], gpu_trace=[row(60)]))
    assert program.witnessed == {(FILE, 104), (FILE, 60)}
    told = compare(program, program.witnessed, program.unwitnessable)
    assert (told.both, told.missed, told.unexpected) == (1, {(FILE, 60)}, {(FILE, 109)})
    assert sys.modules.get("recording") is before


def test_what_the_callbacks_alone_see_is_not_missed_without_them(tmp_path: Path) -> None:
    recorded = unpack_programs(tmp_path)
    told = json.loads((recorded / "programs.json").read_text(encoding="utf-8"))
    told["programs"] = {
        name: passes
        for name, passes in told["programs"].items()
        if name.startswith(("patch-5", "patch-6")) and "-sync" in name
    }
    (recorded / "programs.json").write_text(json.dumps(told), encoding="utf-8")
    heard, unheard = predicted_programs(recorded)
    assert heard.predicted == heard.witnessed == unheard.predicted == unheard.unwitnessable
    assert (heard.unwitnessable, unheard.witnessed) == (frozenset(), frozenset())


def row(line: int) -> dict[str, Any]:
    return {"step": 0, "file": FILE, "function": "step", "line": line}


def witnessed(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    """The recording of one program, as its witnesses would have filled it on a device."""
    shutil.copytree(RECORDED_ON_A_CPU / "source", folder / "source")
    shutil.copy(RECORDED_ON_A_CPU / "operations.json", folder)
    recorded = json.loads((RECORDED_ON_A_CPU / "programs.json").read_text(encoding="utf-8"))
    passes = recorded["programs"]["gpt-guarded"]
    passes["time"]["sync_debug"] = rows["sync_debug"]
    passes["callback"]["gpu_trace"] = rows["gpu_trace"]
    recorded["programs"] = {"gpt-guarded": passes}
    (folder / "programs.json").write_text(json.dumps(recorded), encoding="utf-8")
    return folder
