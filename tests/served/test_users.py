"""Several users on one machine, whatever their umask, homes, quotas and disks are."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from board import SMALL_TRACE, TRACE, Board, board, changed, until
from readable_python import is_runnable_by, put_readable_python

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="root alone can be others"),
]

ONE, OTHER = 61001, 61002
"""Numbers of users; neither has a name, a home or a group."""

SOME_KB = 65536


@dataclass(frozen=True)
class Python:
    """An interpreter that other users may run."""

    program: str
    environment: dict[str, str]

    def command(
        self, user: int, *arguments: str | Path, umask: int = 0o022, **environment: Any
    ) -> subprocess.CompletedProcess[str]:
        """What it says when this user starts it."""
        own: dict[str, Any] = {"user": user, "group": user, "extra_groups": [], "umask": umask}
        env = changed({"XDG_CACHE_HOME": None, **self.environment, **environment})
        started = [self.program, *map(str, arguments)]
        return subprocess.run(started, env=env, capture_output=True, text=True, check=False, cwd="/", **own)

    def board(self, logdir: Path, user: int, **environment: Any) -> AbstractContextManager[Board]:
        """TensorBoard as this user runs it."""
        return board(logdir, user=user, python=self.program, **{**self.environment, **environment})


@pytest.fixture(scope="module")
def python() -> Iterator[Python]:
    """The tests' own, or a copy of it where its folder is closed to others."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        found = Python(sys.executable, {})
        if not is_runnable_by(ONE, found.program, found.environment):
            found = Python(*put_readable_python(Path(folder)))
        if not is_runnable_by(ONE, found.program, found.environment):
            pytest.skip("other users may not read the packages of this installation")
        yield found


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that all may enter."""
    base = Path("/tmp", f"tbprof-users-{os.getpid()}")
    base.mkdir(mode=0o755)
    yield base
    shutil.rmtree(base)


@pytest.fixture
def logs(open_folder: Path) -> Path:
    """A log directory that all may read."""
    folder = open_folder / "logs"
    folder.mkdir(mode=0o755)
    shutil.copy(SMALL_TRACE, folder / "w.trace.json.gz")
    return folder


def home_of(user: int, base: Path) -> Path:
    home = base / f"home{user}"
    home.mkdir(mode=0o755)
    os.chown(home, user, user)
    return home


def state_of(server: Board, **place: str) -> Any:
    place = {"run": ".", "worker": "w", "window": "w.trace.json.gz", **place}
    until(lambda: place in server.places())
    server.read(place)
    return server.answer("window", **place)[1]


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o027, 0o077])
def test_the_cache_is_of_its_user_alone_whatever_the_umask(
    python: Python, open_folder: Path, logs: Path, umask: int
) -> None:
    home = home_of(ONE, open_folder)
    report = ("-m", "tbprof", "report", logs / "w.trace.json.gz")
    done = python.command(ONE, *report, umask=umask, HOME=str(home))
    assert (done.returncode, done.stderr) == (0, "")
    made = list((home / ".cache").rglob("*"))
    assert any(path.suffix == ".pb" for path in made)
    folders = [path for path in (home / ".cache", *made) if path.is_dir()]
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in folders} == {0}


@pytest.mark.parametrize("home", [None, "/", "/nonexistent", "."])
def test_who_has_neither_home_nor_name_is_served_without_a_cache(
    python: Python, logs: Path, home: str | None
) -> None:
    gone: dict[str, Any] = {"XDG_CACHE_HOME": None, "USER": None, "LOGNAME": None, "HOME": home}
    done = python.command(ONE, "-m", "tbprof", "report", logs / "w.trace.json.gz", **gone)
    assert done.returncode == 0
    assert done.stderr.count("nothing is kept for the next time") == 1
    with python.board(logs, ONE, **gone) as server:
        assert state_of(server)["state"] == "ready"
        log = server.log.read_text(errors="replace")
        assert log.count("nothing is kept for the next time") == 1
        assert "Traceback" not in log


def test_two_users_of_one_cache_folder_neither_read_nor_hinder_each_other(
    python: Python, open_folder: Path, logs: Path
) -> None:
    shared = open_folder / "cache"
    shared.mkdir()
    shared.chmod(0o1777)
    with (
        python.board(logs, ONE, XDG_CACHE_HOME=str(shared), HOME="/nonexistent") as one,
        python.board(logs, OTHER, XDG_CACHE_HOME=str(shared), HOME="/nonexistent") as other,
    ):
        first = state_of(one)
        assert first["state"] == "ready"
        assert state_of(other) == first
        assert "nothing is kept for the next time" not in one.log.read_text(errors="replace")
        assert "nothing is kept for the next time" in other.log.read_text(errors="replace")
        assert one.answer("fleet")[0] == other.answer("fleet")[0] == 200
    assert {path.stat().st_uid for path in shared.rglob("*")} == {ONE}
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in shared.iterdir()} == {0}


def test_what_a_user_may_not_read_is_named_and_the_rest_is_shown(
    python: Python, open_folder: Path, logs: Path
) -> None:
    for name in ("closed", "open"):
        (logs / name).mkdir()
        shutil.copy(SMALL_TRACE, logs / name / "x.trace.json.gz")
    shutil.copy(SMALL_TRACE, logs / "open" / "secret.trace.json.gz")
    (logs / "closed").chmod(0o700)
    (logs / "open" / "secret.trace.json.gz").chmod(0o600)
    logs.chmod(0o2555)
    before = sorted(str(path) for path in logs.rglob("*"))
    with python.board(logs, ONE, XDG_CACHE_HOME=str(home_of(ONE, open_folder))) as server:
        assert state_of(server)["state"] == "ready"
        assert state_of(server, run="open", worker="x", window="x.trace.json.gz")["state"] == "ready"
        secret = state_of(server, run="open", worker="secret", window="secret.trace.json.gz")
        assert "Permission denied" in secret["problem"]["what"]
        assert [file["path"] for file in server.answer("runs")[1]["skipped"]] == ["closed"]
    assert sorted(str(path) for path in logs.rglob("*")) == before


def test_a_group_folder_takes_a_published_window_that_the_group_may_read(
    python: Python, open_folder: Path
) -> None:
    """As folders of a team are: whatever is made there is of the team, though not of the writer's group."""
    team = open_folder / "team"
    team.mkdir()
    os.chown(team, OTHER, OTHER)
    team.chmod(0o2777)
    program = (
        "import pathlib, sys\nfrom tbprof.store.files import write_whole\n"
        "write_whole(pathlib.Path(sys.argv[1], 'w.tbprof.pb'), b'x')\n"
    )
    assert python.command(ONE, "-c", program, team, umask=0o007).returncode == 0
    status = (team / "w.tbprof.pb").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (ONE, OTHER, 0o660)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={SOME_KB}", "tmpfs", str(folder)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_under_the_cache_costs_the_cache_alone(logs: Path, small_disk: Path) -> None:
    shutil.copy(TRACE, logs / "large.trace.json.gz")
    large = {"run": ".", "worker": "large", "window": "large.trace.json.gz"}
    with board(logs, XDG_CACHE_HOME=str(small_disk)) as server:
        (small_disk / "full").write_bytes(b"x" * (SOME_KB - 16384))
        for _ in range(2):
            assert state_of(server)["state"] == "ready"
            assert server.read(large, "window", "timeline") == "ready"
            assert server.answer("fleet")[0] == 200
        assert "Traceback" not in server.log.read_text(errors="replace")
    left = [path for path in small_disk.rglob("*") if path.is_file() and path.name != "full"]
    assert [path for path in left if path.name.startswith(".") or not path.stat().st_size] == []


def test_a_spent_quota_costs_the_cache_alone(logs: Path) -> None:
    """A limit of sizes fails in the midst of a write, as a quota does."""
    with board(logs, file_bytes=1000) as server:
        assert state_of(server)["state"] == "ready"
        assert server.read({"run": ".", "worker": "w", "window": "w.trace.json.gz"}, "timeline") == "ready"
        assert server.answer("fleet")[0] == 200
