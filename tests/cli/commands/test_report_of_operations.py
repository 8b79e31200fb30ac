"""`tbprof report` of a table of a job's operations."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from operation_columns import operation_columns

from tbprof.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A job whose last stage is slow."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tbprof[parquet]'")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "operations.parquet"
    parquet.write_table(pyarrow.table(operation_columns(slow_stage=1)), path)
    return path


def test_text_says_first_who_makes_the_job_slow(table: Path, capsys: Capture) -> None:
    assert main(["report", str(table)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.startswith("Stage 1, the last, makes the job slow: ")
    assert "stage 1  1." in printed.out


def test_json_holds_all_figures(table: Path, capsys: Capture) -> None:
    assert main(["report", str(table), "--format", "json"]) == 0
    view = json.loads(capsys.readouterr().out)
    assert (view["schema"], view["ranks"], view["stages"], view["replicas"]) == (1, 4, 2, 2)
    assert view["slowdown"] == pytest.approx(view["replayed_us"] / view["ideal_us"])
    assert [step["step"] for step in view["steps"]] == [3, 4]
    assert view["last_stage"]["ranks"] == [1, 3]


def said(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    path = tmp_path / "operations.parquet"
    path.write_bytes(b"PAR1")
    assert "pip install 'tbprof[parquet]'" in said(["report", str(path)], capsys)


def test_a_damaged_or_another_table_is_named(tmp_path: Path, table: Path, capsys: Capture) -> None:
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(table.read_bytes()[:1000])
    assert "cut.parquet can't be read as Parquet" in said(["report", str(cut)], capsys)
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"loss": [1.0]}), tmp_path / "other.parquet")
    assert "no column dp_rank" in said(["report", str(tmp_path / "other.parquet")], capsys)


@pytest.mark.parametrize("more", [["--format", "html"], ["--summary"], ["--fail-on", "high"]])
def test_what_has_no_windows_has_no_summary_of_them(table: Path, capsys: Capture, more: list[str]) -> None:
    assert "--format text or json" in said(["report", str(table), *more], capsys)
