"""`tbprof bisect`: the right commit of made histories, by few runs, and nothing left behind."""

from __future__ import annotations

import json
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

from made_histories import COMMITS, RULES, SITES, History, write_history
from side_server import SideServer

from tbprof.preflight.bisect import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SideServer]:
    server = SideServer(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a repository, with a temporary folder beside it that must be empty afterwards."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def check_nothing_is_left(project: Path) -> None:
    assert list((project.parent / "temporary").iterdir()) == []
    assert {path.name for path in project.iterdir()} == {".git", "train.py"}
    listed = ["git", "-C", str(project), "worktree", "list"]
    assert len(subprocess.run(listed, check=True, capture_output=True).stdout.splitlines()) == 1
    assert processes_of(project.parent) == []


def processes_of(folder: Path) -> list[int]:
    """Those whose environment names its temporary folder, but this one."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if os.fsencode(folder / "temporary") in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return [each for each in found if each != os.getpid()]


def bisect(server: SideServer, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run([*arguments], run_side=server)
    said = capsys.readouterr()
    return code, said.out, said.err


def line_of(history: History) -> int:
    """Where its site is in the last commit."""
    lines = history.source(COMMITS - 1).splitlines()
    return lines.index(SITES[history.site].splitlines()[0]) + 1


def options_of(history: History, seed: int) -> list[str]:
    """Each way to say what is looked for."""
    others, line = 1 if history.has_others else 0, line_of(history)
    ways = [[], ["--sync-points", str(others)], ["--line", f"train.py:{line}"], ["--line", "train.py"]]
    return [*ways, ["--rule", RULES[history.site]]][seed % 5]


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(seed, marks=pytest.mark.exhaustive if seed % 4 else pytest.mark.slow)
        for seed in range(30)
    ],
)
def test_the_right_commit_of_64(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    history = History.made(seed)
    commits = write_history(history, project)
    code, said, complained = bisect(
        server, capsys, commits[0], "main", *options_of(history, seed), "--format", "json", "train.py"
    )
    assert code == 0, complained
    found = json.loads(said)
    assert (found["commit"], found["subject"]) == (commits[history.at], f"Change {history.at}")
    assert found["runs"] <= 7
    assert (found["skipped"], found["or_one_of"]) == ([], [])
    (site,) = found["sites"]
    assert site["code"] == SITES[history.site].strip().splitlines()[0]
    assert (site["rule"], site["before"], site["after"]) == (RULES[history.site], 0, 1)
    check_nothing_is_left(project)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_commits_that_do_not_run_are_skipped(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    history = History.made(seed, broken=COMMITS // 3)
    commits = write_history(history, project)
    code, said, complained = bisect(server, capsys, commits[0], "main", "--format", "json", "train.py")
    assert code == 0, complained
    found = json.loads(said)
    assert found["commit"] == commits[history.at]
    skipped = [each["commit"] for each in found["skipped"]]
    assert set(skipped) <= {commits[each] for each in history.broken}
    assert found["runs"] - len(skipped) <= 9
    assert all("No module named 'no_such_module'" in each["reason"] for each in found["skipped"])
    check_nothing_is_left(project)


def test_it_may_be_one_that_does_not_run(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commits = write_history(History("read", 4, False, (2, 3)), project)
    code, said, _ = bisect(server, capsys, commits[1], commits[5], "train.py")
    assert code == 1
    first, text, site, unsure, *skipped = said.splitlines()
    assert first == f"{commits[4][:10]} Change 4"
    assert text == "is the first whose sync points are more than 0 a step, by 4 runs."
    assert site == "train.py:17  print(step, loss.item())  SYN01  [0 -> 1]"
    assert unsure == f"Or it is one that does not run: {commits[3][:10]}, {commits[2][:10]}."
    assert len(skipped) == 2
    assert all(line.startswith("Skipped: ") and "no_such_module" in line for line in skipped)


@pytest.mark.parametrize(
    ("ends", "options", "sentence"),
    [
        ((1, 3), [], "is no bad end: its sync points are 0 a step, and those of a good commit at most 0"),
        (
            (4, 6),
            ["--rule", "SYN"],
            "is no bad end: its sync points of SYN are 1 a step, and those of a good",
        ),
        ((4, 6), ["--sync-points", "0"], "is no good end: its sync points are 1 a step"),
        ((6, 4), [], "is no commit before"),
        ((4, 4), [], "is no commit before"),
        ((1, 6), ["--line", "train.py:99"], "has no such line"),
        ((2, 6), ["--sync-points", "0"], "did not come to its end: the program failed: "),
        ((1, 2), [], "did not come to its end: the program failed: "),
    ],
)
def test_ends_that_are_none(
    server: SideServer,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    ends: tuple[int, int],
    options: list[str],
    sentence: str,
) -> None:
    commits = write_history(History("read", 4, False, (2,)), project)
    code, said, complained = bisect(server, capsys, *(commits[end] for end in ends), *options, "train.py")
    assert (code, said) == (2, "")
    assert sentence in complained
    assert len(complained.splitlines()) == 1
    check_nothing_is_left(project)


def test_unknown_revisions(server: SideServer, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_history(History("read", 4, False, ()), project)
    assert bisect(server, capsys, "main", "nowhere", "train.py") == (
        2,
        "",
        "tbprof: git knows no revision nowhere here\n",
    )


def test_a_history_with_branches(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The site comes in a branch, and with its merge into the line that is looked at."""
    history = History("read", COMMITS, False, ())
    commits = write_history(history, project)
    git = ["git", "-C", str(project), "-c", "user.name=n", "-c", "user.email=n@example.com"]
    subprocess.run([*git, "checkout", "-q", "-b", "branch", commits[40]], check=True)
    source = history.source(40) + SITES["read"] + "\n"
    (project / "train.py").write_text(source, encoding="utf-8")
    subprocess.run([*git, "commit", "-qam", "In the branch"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "One more"], check=True)
    subprocess.run([*git, "checkout", "-q", "main"], check=True)
    subprocess.run([*git, "merge", "-q", "-X", "theirs", "branch", "-m", "Merge"], check=True)
    code, said, complained = bisect(server, capsys, commits[0], "main", "--format", "json", "train.py")
    assert code == 0, complained
    assert json.loads(said)["subject"] == "In the branch"


@pytest.mark.slow
def test_what_git_bisect_run_takes(
    server: SideServer, project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    history = History("read", 21, True, (31,))
    commits = write_history(history, project)
    assert commits[31] == git_says(project, "rev-parse", "main~32")
    arguments = ("--line", f"train.py:{line_of(history)}", "--script", "train.py", "--", "--name", "a b")
    code, script, _ = bisect(server, capsys, commits[0], "main", *arguments)
    assert code == 0
    shebang, how, command = script.splitlines()
    assert (shebang, how) == (
        "#!/bin/sh",
        f"# git bisect start {commits[-1]} {commits[0]} && git bisect run sh THIS_FILE",
    )
    assert command.startswith("exec tbprof bisect . train.py '--line=train.py:print(step, ")
    (tmp_path / "tbprof").write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m tbprof "$@"\n', encoding="utf-8"
    )
    (tmp_path / "tbprof").chmod(0o755)
    (tmp_path / "this.sh").write_text(script, encoding="utf-8")
    git_says(project, "bisect", "start", commits[-1], commits[0])
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run(
        ["git", "-C", str(project), "bisect", "run", "sh", str(tmp_path / "this.sh")],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=PATIENCE_S,
    )
    assert f"{commits[21]} is the first bad commit" in ended.stdout.replace("'bad'", "bad")
    assert f"{commits[31]}" in git_says(project, "bisect", "log").partition("skip")[2]


def git_says(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_one_leaves_nothing(project: Path, number: signal.Signals) -> None:
    history = History("read", 30, False, ())
    commits = write_history(history, project)
    hanging = history.source(40).replace("for step", "import time\ntime.sleep(600)\nfor step")
    (project / "train.py").write_text(hanging, encoding="utf-8")
    git_says(project, "-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "-qam", "Hangs")
    process = subprocess.Popen(
        [sys.executable, "-m", "tbprof", "bisect", commits[-1], "main", "train.py"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE_S
    while len(processes_of(project.parent)) < 2 or not any(
        (project.parent / "temporary").rglob("side0/train.py")
    ):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(2)
    process.send_signal(number)
    _, complained = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, complained.splitlines()[-1]) == (130, "tbprof: interrupted")
    check_nothing_is_left(project)
