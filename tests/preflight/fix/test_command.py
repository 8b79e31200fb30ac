"""`tbprof fix` as a command: what it writes and what it leaves alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

pytest.importorskip("torch")
pytest.importorskip("libcst")

from side_server import SideServer

from tbprof import command_process
from tbprof.preflight.fix.command import run

ROOT = Path(__file__).parents[3]

TRAINING = """\
# A training.
import torch
from torch import nn

device = torch.device('cuda')
model = nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def measure(loss):
    return loss . item ( )      # as it came


# The steps.
for step in range( 9 ):
    x = torch.ones(4, 8, device=device)
    x = x[:, [1,0, 2,3,4,5, 7,6]]   # swapped
    loss = model(x).square().mean()

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history = measure(loss)
    for row in range(3):
        low = float(x[row].min())
        high = float(x[row].max())
        x[row] = x[row] * (1 + high - low)
"""
INDEX = "index = torch.tensor([1,0, 2,3,4,5, 7,6], device=device)\n"
MENDED = TRAINING.replace("# The steps.", f"{INDEX}# The steps.").replace(
    "[1,0, 2,3,4,5, 7,6]]  ", "index]  "
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SideServer]:
    server = SideServer(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("project", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "project")
    git(tmp_path / "project", "init", "-q")
    committed(tmp_path / "project", TRAINING)
    return tmp_path / "project"


def git(folder: Path, *arguments: str) -> str:
    named = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=n@example.com"]
    return subprocess.run([*named, *arguments], check=True, capture_output=True, text=True).stdout


def committed(project: Path, source: str) -> None:
    (project / "train.py").write_bytes(source.encode())
    git(project, "add", "-A")
    git(project, "commit", "-qm", "A program")


def fix(
    server: SideServer, capsys: pytest.CaptureFixture[str], *arguments: str, program: str = "train.py"
) -> tuple[int, str, str]:
    code = run([*arguments, program], run_side=server)
    said = capsys.readouterr()
    assert list(Path.cwd().parent.joinpath("temporary").iterdir()) == []
    assert len(git(Path.cwd(), "worktree", "list").splitlines()) == 1
    return code, said.out, said.err


def test_it_writes_nothing_unless_asked(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, _ = fix(server, capsys, "--only", "CPY05")
    assert code == 0
    lines = said.splitlines()
    assert lines[0] == "1 edit, proved"
    assert lines[1].startswith("The result is the same over 6 steps, with sync points ")
    assert "CPY05 train.py:17, make the index once, on the device: proved" in lines
    assert f"+{INDEX.rstrip()}" in lines
    assert lines[-1] == "Nothing is written; --apply writes these edits."
    assert git(project, "status", "--porcelain") == ""


def test_it_writes_the_lines_of_the_edit_and_no_others(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").chmod(0o750)
    git(project, "commit", "-qam", "A mode")
    code, said, _ = fix(server, capsys, "--only", "train.py:17", "--apply")
    assert code == 0
    assert said.splitlines()[-1] == "Written to train.py."
    assert (project / "train.py").read_text(encoding="utf-8") == MENDED
    assert (project / "train.py").stat().st_mode & 0o777 == 0o750
    assert [path.name for path in project.iterdir() if path.name != ".git"] == ["train.py"]


@pytest.mark.slow
@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_other_newlines_indents_and_letters_stay(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], newline: str
) -> None:
    def other(source: str) -> str:
        return (
            source.replace("# A training.", "# Ein Übungslauf 训练.")
            .replace("    ", "\t")
            .replace("\n", newline)
        )

    committed(project, other(TRAINING))
    assert fix(server, capsys, "--only", "CPY05", "--apply")[0] == 0
    assert (project / "train.py").read_bytes().decode() == other(MENDED)


@pytest.mark.slow
@pytest.mark.usefixtures("project")
def test_what_is_no_edit_is_described(server: SideServer, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = fix(server, capsys)
    assert code == 0
    described = said[said.index("Not by an edit") :].splitlines()
    loop = (
        "Not by an edit: LCH08 train.py:24, a loop of 3 turns that waits 6 times a step: compute it for all"
    )
    first = next(at for at, line in enumerate(described) if line.startswith(loop))
    assert described[first + 1 : first + 3] == [
        "    24:     for row in range(3):",
        "    25:         low = float(x[row].min())",
    ]
    assert any(
        line.startswith("Not by an edit: SYN01 train.py:11 `return loss . item ( )") for line in described
    )
    shown = (
        'Not by an edit: shown only, train.py:21: `with torch.autocast("cuda", dtype=torch.bfloat16):` around'
    )
    assert any(line.startswith(shown) for line in described)


@pytest.mark.parametrize("how", ["changed", "new", "ignored"])
def test_what_git_does_not_hold_is_not_written_to(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    program = project / "train.py"
    program.write_text(f"{TRAINING}# Mine.\n", encoding="utf-8")
    if how != "changed":
        git(project, "rm", "-q", "--cached", "train.py")
        (project / ".gitignore").write_text("other.py" if how == "new" else "train.py", encoding="utf-8")
        git(project, "add", ".gitignore")
        git(project, "commit", "-qm", "Gone")
    code, said, complained = fix(server, capsys, "--only", "CPY05", "--apply")
    assert (code, "Written to" in said) == (2, False)
    # What git ignores is no part of the copy that runs.
    expected = "No such file" if how == "ignored" else "holds what git does not, and nothing is written"
    assert expected in complained
    assert program.read_text(encoding="utf-8") == f"{TRAINING}# Mine.\n"
    if how != "ignored":
        assert fix(server, capsys, "--only", "CPY05", "--apply", "--allow-uncommitted")[0] == 0
        assert program.read_text(encoding="utf-8") == f"{MENDED}# Mine.\n"


def test_a_file_that_is_a_link_is_left_alone(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (project / "train.py").rename(tmp_path / "outside.py")
    (project / "train.py").symlink_to(tmp_path / "outside.py")
    git(project, "commit", "-qam", "A link")
    code, said, _ = fix(server, capsys, "--only", "CPY05", "--apply")
    assert (code, said.splitlines()[0]) == (0, "no edit is offered")
    assert (tmp_path / "outside.py").read_text(encoding="utf-8") == TRAINING


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "raise ValueError('no')\n",
            "the program did not come to its end: the program failed: ValueError: no",
        ),
        (TRAINING.replace("'cuda'", "'cpu'"), "the program put nothing on a GPU"),
        ("import os\nos._exit(3)\n", "the program ended"),
    ],
)
def test_a_program_that_shows_nothing(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], source: str, sentence: str
) -> None:
    committed(project, source)
    code, said, complained = fix(server, capsys)
    assert (code, said, complained.startswith(f"tbprof: {sentence}")) == (2, "", True), complained


def test_without_libcst_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "libcst" or ".fix." in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "libcst", None)
    monkeypatch.setattr(sys, "argv", ["tbprof", "tbprof.preflight.fix.command", "train.py"])
    assert command_process.main() == 2
    assert capsys.readouterr().err == "tbprof: edits need libcst: pip install 'tbprof[fix]'\n"


@pytest.mark.slow
def test_an_interrupted_one_leaves_nothing(project: Path, tmp_path: Path) -> None:
    committed(project, TRAINING.replace("for step", "import time\ntime.sleep(600)\nfor step"))
    temporary = tmp_path / "temporary"
    process = subprocess.Popen(
        [sys.executable, "-m", "tbprof", "fix", "train.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE_S
    while not any(temporary.rglob("*.said")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    _, complained = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, complained.splitlines()[-1]) == (130, "tbprof: interrupted")
    assert list(temporary.iterdir()) == []
    assert git(project, "status", "--porcelain") == ""
