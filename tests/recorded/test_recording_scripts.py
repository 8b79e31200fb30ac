"""The scripts that make tables of a recording, on one that was made on a CPU: each says what is missing."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import hook_on_gpu
import op_table
import pick_samples
import preflight_against_witnesses
import repaired_stages
import witnessed_points

from tbprof.hook.audit.source_text import import_folders, trace_file_name

RECORDED_ON_A_CPU = Path(__file__).parents[1] / "data" / "programs_on_a_cpu"


def test_forms_are_judged_and_the_missing_device_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    op_table.main(RECORDED_ON_A_CPU)
    printed = capsys.readouterr().out
    assert "| item | sync | - | - | - | - | - | scalar_read DtoH waits | seen | agrees |" in printed
    assert printed.endswith("record them on a GPU. Expectations are no truth.\n")


def test_lines_are_compared_with_marks_and_the_missing_witness_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    preflight_against_witnesses.main(RECORDED_ON_A_CPU)
    printed = capsys.readouterr().out
    assert "| patch-0-before | 3 | - | - | - | - | 0 | 3 | 3 | 100.0% | 100.0% |" in printed
    assert "has a witness: record them on a GPU" in printed


def test_rows_that_a_device_saw_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(RECORDED_ON_A_CPU / "source", tmp_path / "source")
    recorded = json.loads((RECORDED_ON_A_CPU / "operations.json").read_text(encoding="utf-8"))
    recorded["machine"]["device"] = "cuda"
    rows = {row["form"]: row for row in recorded["forms"]}
    call = {"call": "cudaStreamSynchronize", "host_us": 980.0, "ops": ["aten::nonzero"]}
    rows["nonzero"] |= {"gpu_trace": 1, "calls": [call]}
    recorded["forms"] = [rows["nonzero"], rows["one_hot, num_classes"]]
    (tmp_path / "operations.json").write_text(json.dumps(recorded), encoding="utf-8")
    op_table.main(tmp_path)
    printed = capsys.readouterr().out
    assert "| nonzero | sync | yes | callbacks | - | - | cudaStreamSynchronize | dynamic_shape" in printed
    assert "2 agrees." in printed
    assert "| aten::nonzero | always | seen | nonzero |" in printed


@pytest.mark.parametrize("script", [repaired_stages, witnessed_points])
def test_without_a_device_there_is_no_table(script: type[repaired_stages]) -> None:
    with pytest.raises(SystemExit, match="record them on a GPU"):
        script.main(RECORDED_ON_A_CPU)


def test_samples_are_written_with_their_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pick_samples.main(RECORDED_ON_A_CPU, tmp_path)
    assert len(list(tmp_path.glob("*_cpu/*.tbprof.pb"))) == len(list(tmp_path.glob("*_cpu/*.json.gz"))) == 3
    assert "no samples: record them on a GPU" in capsys.readouterr().out


@pytest.fixture
def import_folders_asked_anew() -> Iterator[None]:
    """Names of files depend on the folders that the first hook of a process found, here no other."""
    for names in (import_folders, trace_file_name):
        names.cache_clear()
    yield
    for names in (import_folders, trace_file_name):
        names.cache_clear()


@pytest.mark.usefixtures("import_folders_asked_anew")
def test_a_program_runs_with_the_hook_and_leaves_its_window(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hook_on_gpu.main([str(RECORDED_ON_A_CPU), str(tmp_path), "--only", "gpt-mask", "--steps", "2"])
    assert (tmp_path / "gpt-mask.trace.json.gz").is_file()
    assert re.search(r"\| gpt-mask \|.*\| 0 \| - \| [1-9]\d* \| 1 \| 1 \|", capsys.readouterr().out)
