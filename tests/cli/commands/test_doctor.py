"""The doctor asks the last windows, the runs that left none, and the machine."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof

import tbprof
from tbprof.model import HealthFact
from tbprof.store.codec import encode_report
from tbprof.store.windows import read_report

torch = pytest.importorskip("torch")

SAMPLE = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.tbprof.pb"
TRACE = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"TBPROF_SPOOL": str(tmp_path / "spool")}


def write_window(run: Path, time_ns: int, *problems: HealthFact) -> None:
    report = read_report(str(SAMPLE))
    report = dataclasses.replace(report, trace=dataclasses.replace(report.trace, health=problems))
    run.mkdir(parents=True, exist_ok=True)
    content = encode_report(report, written_by=tbprof.__version__)
    (run / f"w.{time_ns}.tbprof.pb").write_bytes(content)


def test_it_says_what_speaks_against_the_newest_window_of_a_run(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    empty = HealthFact("gpu_not_recorded", "warning", {"device": "NVIDIA H100"})
    write_window(tmp_path / "logs" / "fixed", 1795190000000000001, empty)
    write_window(tmp_path / "logs" / "fixed", 1795190000000000002)
    write_window(tmp_path / "logs" / "run", 1795190000000000003, empty)
    ended = run_tbprof("doctor", tmp_path / "logs", environment=environment)
    said = [line for line in ended.stdout.splitlines() if "No GPU work was recorded" in line]
    assert ended.returncode == 1
    assert len(said) == 1
    assert said[0].startswith("  run, w: No GPU work was recorded, though torch sees NVIDIA H100")


def test_a_report_that_can_t_be_read_is_named_on_an_output_that_lacks_its_signs(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "日志").mkdir()
    (tmp_path / "日志" / "w.1.tbprof.pb").write_bytes(b"no report")
    environment["PYTHONIOENCODING"] = "latin-1"
    ended = run_tbprof("doctor", tmp_path / "日志", environment=environment)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert "\\u65e5\\u5fd7/w.1.tbprof.pb" in ended.stdout


def test_of_traces_without_a_report_it_says_the_same(tmp_path: Path, environment: dict[str, str]) -> None:
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    whole = gzip.decompress(TRACE.read_bytes())
    for name, length in (("cut", len(whole) // 2), ("empty", 0)):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "w.1.pt.trace.json").write_bytes(whole[:length])
    ended = run_tbprof("doctor", tmp_path / "logs", environment=environment)
    assert ended.returncode == 1
    assert "  cut, w.1: The file ends in the middle of its events" in ended.stdout
    assert "empty/w.1.pt.trace.json is empty" in ended.stdout
    assert "Nothing is missing" not in ended.stdout


def test_a_folder_without_a_window_is_told_as_that(tmp_path: Path, environment: dict[str, str]) -> None:
    missing = run_tbprof("doctor", tmp_path / "logs", environment=environment)
    (tmp_path / "logs").mkdir()
    empty = run_tbprof("doctor", tmp_path / "logs", environment=environment)
    assert f"{tmp_path / 'logs'} does not exist yet: no runs to check." in missing.stdout
    assert f"{tmp_path / 'logs'} holds no window yet: no runs to check." in empty.stdout


def test_without_results_it_looks_at_the_machine(tmp_path: Path, environment: dict[str, str]) -> None:
    ended = run_tbprof("doctor", tmp_path / "logs", environment=environment)
    assert ended.stdout.endswith("Nothing is missing for a good recording.\n") == (ended.returncode == 0)
    assert ended.stderr == ""


@pytest.mark.skipif(torch.cuda.is_available() or torch.xpu.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_no_fault(tmp_path: Path, environment: dict[str, str]) -> None:
    ended = run_tbprof("doctor", tmp_path / "logs", environment=environment)
    head, note, _, last = ended.stdout.splitlines()
    assert (ended.returncode, head) == (0, "To know:")
    assert note.startswith("  torch sees no GPU")
    assert last == "Nothing is missing for a good recording."


def test_the_worst_comes_first_under_its_head_and_paths_are_short(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TBPROF_SPOOL", environment["TBPROF_SPOOL"])
    monkeypatch.chdir(tmp_path)
    write_window(tmp_path / "logs" / "run", 1, HealthFact("gpu_not_recorded", "warning", {"device": "H100"}))
    tbprof.TrainerHook(tmp_path / "logs" / "short").close()
    ended = run_tbprof("doctor", "logs", environment={**environment, "CUDA_LAUNCH_BLOCKING": "1"})
    heads = [line for line in ended.stdout.splitlines() if not line.startswith(" ")]
    assert heads[:3] == [
        "In the way of the next recording:",
        "Left by the last runs:",
        "Against the figures of the newest windows:",
    ]
    assert "  logs/short, run that ended" in ended.stdout
    assert str(tmp_path) not in ended.stdout
