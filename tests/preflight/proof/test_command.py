"""`tbprof prove` as a command: its sides, its forms, and that it leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

from tbprof.session_file import Session

pytest.importorskip("torch")

from tbprof.errors import UsageError
from tbprof.preflight.proof.sides import sides_of

ROOT = Path(__file__).parents[3]

TRAINING = """
import sys
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 4).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    x = torch.rand(4, 8).to("cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
"""
SELDOM = TRAINING.replace("    print", "    if step % 2 == 0:\n        print")


def with_lines(lines: str) -> str:
    """The training with lines of its own before the model is made."""
    return TRAINING.replace("model = ", f"{lines}\nmodel = ", 1)


@dataclass(frozen=True)
class Repository:
    folder: Path
    temporary: Path

    def git(self, *arguments: str) -> str:
        named = ["git", "-C", str(self.folder), "-c", "user.name=n", "-c", "user.email=n@example.com"]
        return subprocess.run([*named, *arguments], check=True, capture_output=True, text=True).stdout

    def commit(self, source: str) -> None:
        (self.folder / "train.py").write_text(source, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", "A change")

    def start(self, *arguments: str, start_new_session: bool = False) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.temporary)}
        return subprocess.Popen(
            [sys.executable, "-m", "tbprof", "prove", *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=start_new_session,
        )

    def prove(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        said, complained = process.communicate(timeout=PATIENCE_S)
        self.check_nothing_is_left()
        return process.returncode, said, complained

    def check_nothing_is_left(self) -> None:
        assert list(self.temporary.iterdir()) == []
        assert len(self.git("worktree", "list").splitlines()) == 1
        known = {".git", "train.py", "data", ".gitignore", ".tbprof"}
        assert {path.name for path in self.folder.iterdir()} <= known
        assert self.processes() == []

    def processes(self) -> list[int]:
        """Those whose environment names the temporary folder."""
        mark, found = os.fsencode(self.temporary), []
        for file in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in file.read_bytes():
                    found.append(int(file.parent.name))
            except OSError:
                continue
        return found


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "project").mkdir()
    (tmp_path / "temporary").mkdir()
    made = Repository(tmp_path / "project", tmp_path / "temporary")
    made.git("init", "-q")
    made.commit(TRAINING)
    return made


@pytest.mark.slow
def test_revisions_as_json(repository: Repository) -> None:
    repository.commit(SELDOM)
    session = Session(repository.folder)
    session.add("proposal", "print every other loss", by="person")
    code, said, complained = repository.prove("HEAD~1", "HEAD", "--format", "json", "train.py", "--", "--lr")
    assert code == 0, complained
    proof = json.loads(said)
    assert (proof["schema"], proof["verdict"]) == (1, "proved")
    assert (proof["before"], proof["after"]) == ("HEAD~1", "HEAD")
    assert proof["work"]["steps"] == [6, 6]
    assert proof["result"]["equal"] is True
    # The steps after the second: two of four print.
    assert proof["claim"]["sync_points"] == [2.0, 1.5]
    changed = [(line["code"], line["before"], line["after"]) for line in proof["claim"]["changed"]]
    assert changed == [("print(step, loss.item())", 1.0, 0.5)]
    assert {printed["how"] for printed in proof["result"]["printed"]} == {"seldom"}
    before, after = proof["claim"]["peak_bytes"]
    assert before == after > 0
    noted = session.notes()[-1]
    assert (noted.kind, noted.code) == ("proof", ("print(step, loss.item())",))


@pytest.mark.slow
def test_the_working_tree_is_a_side(repository: Repository) -> None:
    wrong = TRAINING.replace("lr=0.1", "lr=0.2")
    (repository.folder / "train.py").write_text(wrong, encoding="utf-8")
    code, said, _ = repository.prove("HEAD", ".", "train.py", "--steps", "1", "--format", "markdown")
    assert code == 1
    assert said.startswith(
        "**`tbprof prove`: not equal.** In step 1 lr of optimizer 1, group 0 is 0.2, and was 0.1"
    )
    assert "from train.py:14" in said
    assert "| sync points | 2 | 2 |" in said


def test_two_scripts(tmp_path: Path) -> None:
    for name, source in (("before.py", TRAINING), ("after.py", TRAINING.replace("loss", "cost"))):
        (tmp_path / name).write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "tbprof", "prove", "before.py", "after.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(
        "before.py -> after.py: no effect\nThe result is the same over 6 steps, and so"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after.py", "before.py"]


UNSEEDED = "import numpy\nnoise = torch.tensor(numpy.random.default_rng().random(8), dtype=torch.float32)\n"
DETACHED = "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)"
DEAF = """
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True:
    try:
        time.sleep(100)
    except BaseException:
        pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "code", "sentence"),
    [
        ("import time\ntime.sleep(600)", 2, "the time limit was reached; --time-limit sets another"),
        (DEAF, 2, "did not end within the time limit of 15 s; --time-limit sets another."),
        (
            "raise ValueError('no')",
            1,
            "fails after 0 of 6 steps, and before it did not: the program failed: ",
        ),
        (
            "import os\nos._exit(3)",
            2,
            "ended its process by exit code 3, before preflight could say anything",
        ),
        ("import ctypes\nctypes.string_at(0)", 2, "ended its process by signal 11"),
        ("input('Which? ')", 2, "it asked for input, and there is none"),
        ("sys.exit()", 2, "takes no optimizer step; --step-on names what ends a step"),
        ("import subprocess\nsubprocess.Popen(['sleep', '600'])", 0, "The result is the same"),
        (DETACHED, 0, "The result is the same"),
        ("open('notes.txt', 'w').write('mine')", 0, "The result is the same"),
        (
            "open(PROJECT + '/notes.txt', 'w')",
            2,
            "notes.txt, outside of the folder of this run at train.py:8",
        ),
        (
            "torch.save({}, PROJECT + '/model.pt')",
            2,
            "model.pt, outside of the folder of this run at train.py:8",
        ),
        ("import os\nos.mkdir(PROJECT + '/new')", 2, "outside of the folder of this run at train.py:9"),
        (
            "import urllib.request\nurllib.request.urlopen('http://example.com/weights')",
            2,
            "it asked for example.com on the network at train.py:8",
        ),
    ],
)
def test_nothing_is_left_behind(repository: Repository, lines: str, code: int, sentence: str) -> None:
    project = f"PROJECT = {str(repository.folder)!r}\n" if "PROJECT" in lines else ""
    (repository.folder / "train.py").write_text(with_lines(project + lines), encoding="utf-8")
    ended, said, complained = repository.prove("HEAD", ".", "train.py", "--time-limit", "15")
    assert (ended, sentence in said) == (code, True), said + complained


@pytest.mark.slow
def test_a_program_that_differs_from_itself(repository: Repository) -> None:
    repository.commit(with_lines(UNSEEDED).replace("model(x)", "model(x + noise.cuda())"))
    repository.commit(SELDOM)
    code, said, _ = repository.prove("HEAD~1", "HEAD", "train.py")
    assert code == 2
    assert "two runs of the program before the change, from the same seeds, are not the same" in said.lower()
    assert "it asks for numpy.random.default_rng() at train.py:8" in said


@pytest.mark.slow
def test_steps_in_other_processes_are_not_compared(repository: Repository) -> None:
    inner = "\n".join(f"    {line}" for line in TRAINING.splitlines())
    spawned = (
        "import multiprocessing\n\n"
        f"def main():\n{inner}\n\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('fork').Process(target=main)\n"
        "    process.start()\n    process.join()\n"
    )
    repository.commit(spawned)
    code, said, _ = repository.prove("HEAD", ".", "train.py")
    assert (code, "takes its steps in other processes, whose tensors are not compared" in said) == (
        2,
        True,
    ), said


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_proof_leaves_nothing(repository: Repository, number: signal.Signals) -> None:
    repository.commit(with_lines("import time\ntime.sleep(600)"))
    process = repository.start("HEAD~1", "HEAD", "train.py")
    deadline = time.monotonic() + PATIENCE_S
    while len(repository.processes()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(number)
    _, complained = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, complained.splitlines()[-1]) == (130, "tbprof: interrupted")
    repository.check_nothing_is_left()


@pytest.mark.exhaustive
@pytest.mark.parametrize("moment", range(20))
def test_ctrl_c_at_any_moment_leaves_nothing(repository: Repository, moment: int) -> None:
    repository.commit(TRAINING.replace("square()", "pow(3)"))
    process = repository.start("HEAD~1", "HEAD", "train.py", start_new_session=True)
    time.sleep(0.1 + moment * 0.7)
    with suppress(ProcessLookupError):
        # As a terminal does, to all in the foreground.
        os.killpg(process.pid, signal.SIGINT)
    _, complained = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (1, 130, -signal.SIGINT)
    assert process.returncode != 130 or complained.splitlines()[-1] == "tbprof: interrupted"
    repository.check_nothing_is_left()


@pytest.mark.slow
def test_data_that_git_ignores_is_linked(repository: Repository) -> None:
    (repository.folder / "data").mkdir()
    (repository.folder / "data" / "shift.txt").write_text("0.5", encoding="utf-8")
    (repository.folder / ".gitignore").write_text("data\n", encoding="utf-8")
    reading = with_lines("shift = float(open('data/shift.txt').read())").replace(
        "model(x)", "model(x + shift)"
    )
    repository.commit(reading)
    repository.commit(reading.replace("    print", "    if step % 2 == 0:\n        print"))
    code, said, _ = repository.prove("HEAD~1", "HEAD", "train.py")
    assert (code, "(data/): --link data/ brings it" in said) == (2, True), said
    code, said, complained = repository.prove("HEAD~1", "HEAD", "train.py", "--link", "data")
    assert (code, said.splitlines()[0]) == (0, "HEAD~1 -> HEAD: proved"), complained
    assert (repository.folder / "data" / "shift.txt").read_text(encoding="utf-8") == "0.5"


@pytest.mark.slow
def test_a_module_that_is_not_the_sides_own(repository: Repository) -> None:
    (repository.folder / "train.py").write_text(
        with_lines(f"sys.path.insert(0, {str(repository.folder)!r})\nimport train_parts"), encoding="utf-8"
    )
    (repository.folder / "train_parts.py").write_text("", encoding="utf-8")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "Parts")
    process = repository.start("HEAD", ".", "train.py")
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "imports train_parts (" in said


@pytest.mark.parametrize(
    ("names", "program", "sentence"),
    [
        (("no-such", "HEAD"), "train.py", "no-such is neither a file, nor a folder, nor a revision"),
        (
            ("HEAD", "HEAD"),
            None,
            "HEAD and HEAD: give two scripts, or two revisions or folders and the script",
        ),
        (("train.py", "HEAD"), "train.py", "train.py is one script too many"),
        (("HEAD", "HEAD"), "/train.py", "/train.py is one file for all sides"),
    ],
)
def test_sides_that_can_not_be_made(
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, str],
    program: str | None,
    sentence: str,
) -> None:
    monkeypatch.chdir(repository.folder)
    with pytest.raises(UsageError, match=sentence), sides_of(names, program, []):
        pass
    repository.check_nothing_is_left()


def test_a_subfolder_runs_where_it_is(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.folder / "data").mkdir()
    (repository.folder / "data" / "train.py").write_text("1", encoding="utf-8")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "A folder")
    monkeypatch.chdir(repository.folder / "data")
    with sides_of(("HEAD", "."), "train.py", []) as (before, after):
        assert [side.folder.relative_to(side.root) for side in (before, after)] == [Path("data")] * 2
        assert [(side.folder / "train.py").read_text(encoding="utf-8") for side in (before, after)] == [
            "1"
        ] * 2
        assert (before.root / "train.py").is_file()
        assert not (after.root / ".git").exists()
