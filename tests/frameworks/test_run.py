"""Programs of other frameworks, unedited: the same losses, a window at the expected steps, their lines."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from script_runner import ScriptRunner

from tbprof.model import RecordedCall, Report
from tbprof.store.discovery import Discovery
from tbprof.store.windows import read_report
from tbprof.trace.importers.sniffing import looks_like_trace

PROGRAMS = pathlib.Path(__file__).parent
PATIENCE_S = 240
TBPROF_RUN = ("-m", "tbprof.hook.run")

READS = {
    # The Trainer asks of every loss whether it is a number; it does so for the line that trains.
    "transformers": ("transformers/trainer.py", "__bool__", "trained = trainer.train()"),
    # Lightning moves each batch to the device, in place of the program.
    "lightning": (
        "lightning/fabric/utilities/apply_func.py",
        "to",
        "trainer.fit(model, DataLoader(data, batch_size=4))",
    ),
}
"""By framework: where it reads or moves, how, and the line of the program that it does it for."""


def run(processes: ScriptRunner, folder: pathlib.Path, *command: object) -> str:
    # What a framework warns of is its own matter.
    environment = {**os.environ, "TBPROF_SPOOL": str(folder / "spool"), "HF_HUB_OFFLINE": "1"}
    folder.mkdir(exist_ok=True)
    ended = processes.run(list(command), folder, environment, limit_s=PATIENCE_S)
    assert ended.exit_code == 0, ended.stderr
    losses = re.findall(r"^loss \d+\.\d+$", ended.stdout, re.MULTILINE)
    assert losses, ended.stdout
    return str(losses[0])


@pytest.mark.parametrize("framework", READS)
def test_an_unedited_program_is_recorded_and_learns_the_same(
    processes: ScriptRunner, framework: str, tmp_path: pathlib.Path
) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed: it is in the extra `frameworks`")
    path, logdir = PROGRAMS / f"{framework}_program.py", tmp_path / "logs"
    with ThreadPoolExecutor() as pool:
        loss = pool.submit(run, processes, tmp_path / "alone", path, "out")
        watched = run(processes, tmp_path / "watched", *TBPROF_RUN, "--logdir", logdir, path, "out")
        assert watched == loss.result()
    report = only_report(logdir)
    assert report.facts is not None
    # 10 steps are left alone, 3 warm up, 5 are recorded.
    assert (report.facts.first_step, report.facts.recorded_steps) == (13, 5)
    assert len(report.steps) == 5
    file, call, line = READS[framework]
    reads = [read for read in report.recorded_calls if read.file.startswith(file) and read.call == call]
    assert reads, [(read.file, read.line, read.call) for read in report.recorded_calls]
    assert {user_s_line(read, path) for read in reads} == {line}


def test_a_training_that_ends_with_its_window_has_lines(
    processes: ScriptRunner, tmp_path: pathlib.Path
) -> None:
    """As one of 24 batches does that makes a step of two: no step is left behind the window."""
    if importlib.util.find_spec("lightning") is None:
        pytest.skip("lightning is not installed: it is in the extra `frameworks`")
    path, logdir = PROGRAMS / "lightning_program.py", tmp_path / "logs"
    short = ["--logdir", logdir, "--skip-first", "4", "--active", "5"]
    run(processes, tmp_path / "watched", *TBPROF_RUN, *short, path, "out", "12", "2")
    report = only_report(logdir)
    assert [fact.code for fact in report.trace.health if "audit" in fact.code] == []
    assert {(read.call, read.count) for read in report.recorded_calls} == {("to", 4), ("item", 2)}


def only_report(logdir: pathlib.Path) -> Report:
    [window] = Discovery(logdir, looks_like_trace).find().windows
    assert window.report_path is not None
    return read_report(window.report_path)


def user_s_line(read: RecordedCall, program: pathlib.Path) -> str:
    """The text of the program's line that a library's read came from."""
    assert read.caller is not None
    assert read.caller.line is not None
    assert (read.caller.file, read.caller.exact) == (program.name, True)
    return program.read_text(encoding="utf-8").splitlines()[read.caller.line - 1].strip()
