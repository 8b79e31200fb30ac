"""Many files at once: the same bytes from every executor, and one bad file or worker costs no other."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from crashing_tasks import dies_at, dies_once
from engines import ENGINES, Started, threads

from tbprof import analyze_many
from tbprof.errors import ReportError, UsageError
from tbprof.executors.analyzing import Failure, InProcess, stored_report
from tbprof.executors.choosing import executor_of
from tbprof.executors.dask_executor import DaskExecutor
from tbprof.executors.local_processes import LocalProcesses
from tbprof.executors.ray_executor import RayExecutor
from tbprof.process.worker import Worker
from tbprof.store.codec import encode_report

REPOSITORY = Path(__file__).parents[2]
SAMPLE = REPOSITORY / "logs" / "samples" / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"


@pytest.fixture
def traces(tmp_path: Path) -> list[Path]:
    """Three that are whole, then one that is no trace, then one that is missing."""
    folder = tmp_path / "job"
    folder.mkdir()
    whole = [folder / f"node_1_rank{rank}.175221557399316900{rank}.pt.trace.json.gz" for rank in range(3)]
    for path in whole:
        shutil.copy(SAMPLE, path)
    (folder / "torn.json").write_text("no trace", encoding="utf-8")
    return [*whole, folder / "torn.json", folder / "missing.json"]


@pytest.fixture
def expected(traces: list[Path]) -> list[bytes]:
    answers = [stored_report(str(path), use_cache=False) for path in traces[:3]]
    return [answer for answer in answers if isinstance(answer, bytes)]


@pytest.mark.usefixtures("for_workers")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", [pytest.param(threads, id="threads"), *ENGINES])
def test_every_executor_gives_the_same_and_names_what_gives_nothing(
    engine: Started, traces: list[Path], expected: list[bytes]
) -> None:
    with engine() as executor:
        found = list(analyze_many(traces, executor, use_cache=False))
    assert [file.path for file in found] == [str(path) for path in traces]
    assert [file.stored for file in found] == [*expected, b"", b""]
    assert [file.error == "" for file in found] == [True, True, True, False, False]
    assert all(file.path in file.error for file in found[3:])


@pytest.mark.usefixtures("for_workers")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_dies_once_costs_nothing(
    engine: Started, traces: list[Path], expected: list[bytes], tmp_path: Path
) -> None:
    task = functools.partial(dies_once, at=traces[1].name, mark=str(tmp_path / "died"))
    with engine() as executor:
        assert list(executor.map(task, map(str, traces[:3]))) == expected
    assert (tmp_path / "died").exists()


@pytest.mark.usefixtures("for_workers")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_every_worker_dies_of_is_named(
    engine: Started, traces: list[Path], expected: list[bytes]
) -> None:
    with engine() as executor:
        task = functools.partial(dies_at, at=traces[1].name)
        first, killer, last = executor.map(task, map(str, traces[:3]))
    assert [first, last] == [expected[0], expected[2]]
    assert isinstance(killer, Failure)
    assert str(traces[1]) in killer.sentence


def test_answers_come_as_they_are_there(traces: list[Path]) -> None:
    files = analyze_many(traces, use_cache=False)
    assert next(files).report().trace.path == str(traces[0])
    for path in traces[1:]:
        path.unlink(missing_ok=True)
    assert [bool(file.error) for file in files] == [True] * 4


def test_who_takes_no_more_leaves_no_process_behind(traces: list[Path]) -> None:
    answers = analyze_many([traces[0]] * 40, LocalProcesses(1), use_cache=False)
    assert next(answers).stored
    assert len(_children()) >= 1
    answers.close()  # type: ignore[attr-defined]
    assert _children() == []


def _children() -> list[str]:
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        pytest.skip("this system does not list the children of a process")
    listed = [pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()]
    named = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in listed]
    return [name.decode() for name in named if b"process_worker" in name]


def test_a_report_that_is_not_there_is_an_error(traces: list[Path]) -> None:
    *_, missing = analyze_many(traces[3:])
    with pytest.raises(ReportError):
        missing.report()


def test_a_stored_report_is_read(tmp_path: Path) -> None:
    [read] = analyze_many([SAMPLE])
    stored = tmp_path / "rank0.tbprof.pb"
    stored.write_bytes(encode_report(read.report(), written_by="0.1"))
    [again] = analyze_many([stored])
    assert again.report().sites == read.report().sites


@pytest.mark.parametrize(("words", "kind"), [("1", InProcess), ("4", LocalProcesses)])
def test_a_number_means_processes(words: str, kind: type) -> None:
    assert type(executor_of(words)) is kind


@pytest.mark.parametrize(
    ("words", "package", "kind"),
    [
        ("tcp://127.0.0.1:8786", "distributed", DaskExecutor),
        ("ray", "ray", RayExecutor),
        ("ray://127.0.0.1:10001", "ray", RayExecutor),
    ],
)
def test_an_address_means_an_engine_which_may_be_missing(
    words: str, package: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, object())
    assert type(executor_of(words)) is kind
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=f"{package} is not installed: pip install"):
        executor_of(words)


@pytest.mark.parametrize("words", ["0", "-2", "many", "", "\uff12"])
def test_what_names_no_workers_is_refused(words: str) -> None:
    with pytest.raises(UsageError):
        executor_of(words)


def test_no_more_processes_are_prepared_than_there_are_files(
    traces: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Worker] = []

    def noting(*given: Any) -> Worker:
        made.append(Worker(*given))
        return made[-1]

    monkeypatch.setattr("tbprof.executors.local_processes.Worker", noting)
    (answer,) = analyze_many(traces[:1], LocalProcesses(10**7), use_cache=False)
    assert (answer.error, len(made)) == ("", 1)
