"""`tbprof classic`: traces made without the hook, for the standard profiler tab."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof
from minimal_importer import Spans

from tbprof import window_names
from tbprof.cli.main import main
from tbprof.store import discovery
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.importers import sniffing, torch_profiler

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return Path(shutil.copy(CLEAN, tmp_path / "run" / "model.json.gz"))


def test_a_copy_appears_beside_the_trace(trace: Path) -> None:
    ended = run_tbprof("classic", trace)
    copy = trace.parent / "classic" / "model.pt.trace.json.gz"
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"wrote {copy}\n", "")
    assert is_classic_copy(copy)
    assert trace.read_bytes() == CLEAN.read_bytes()


@pytest.mark.usefixtures("trace")
def test_a_folder_gives_all_its_traces_and_no_copies_of_copies(tmp_path: Path) -> None:
    for _ in range(2):
        assert main(["classic", str(tmp_path)]) == 0
    copies = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.pt.trace.json.gz"))
    assert copies == ["run/classic/model.pt.trace.json.gz"]


def test_all_copies_go_where_they_are_asked_to(trace: Path, tmp_path: Path) -> None:
    assert main(["classic", str(trace), "--out", str(tmp_path / "out")]) == 0
    assert is_classic_copy(tmp_path / "out" / "model.pt.trace.json.gz")
    assert not (trace.parent / "classic").exists()


def test_two_traces_of_one_name_are_not_written_over_each_other(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    other = shutil.copy(trace, tmp_path / "other")
    assert main(["classic", str(trace), str(other), "--out", str(tmp_path / "out")]) == 2
    assert "would have one name" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_packed_and_an_unpacked_trace_are_not_written_over_each_other(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shutil.copy(trace, trace.with_name("model.json"))
    assert main(["classic", str(trace), str(other)]) == 2
    assert "would have one name" in capsys.readouterr().err


def test_a_file_that_is_no_trace_is_one_line_and_the_others_are_copied(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    assert main(["classic", str(tmp_path / "notes.json"), str(trace)]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert 'has no "traceEvents"' in printed.err
    assert printed.out.startswith("wrote ")
    assert not (tmp_path / "classic").exists()


def test_another_format_is_left_alone_in_a_folder_and_refused_by_name(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sniffing, window_names):
        monkeypatch.setattr(module, "IMPORTERS", (torch_profiler, Spans()))
    monkeypatch.setattr(discovery, "TRACE_SUFFIXES", (".csv", ".gz"))
    spans = tmp_path / "a.csv"
    spans.write_text("name,start,end\naten::mm,1,9\n", encoding="utf-8")
    assert main(["classic", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"wrote {trace.parent / 'classic' / 'model.pt.trace.json.gz'}\n"
    assert main(["classic", str(spans)]) == 2
    assert f"{spans} is not of torch.profiler" in capsys.readouterr().err
    assert not (tmp_path / "classic").exists()


def test_a_copy_is_not_copied_again(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["classic", str(trace), "--out", str(tmp_path / "out")])
    assert main(["classic", str(tmp_path / "out" / "model.pt.trace.json.gz")]) == 2
    assert "name the trace it was made of" in capsys.readouterr().err


def test_an_empty_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classic", str(tmp_path)]) == 2
    assert "there is no trace" in capsys.readouterr().err
