"""Files that others may swap at any moment: none is waited for, and none from outside is read."""

from __future__ import annotations

import ast
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tbprof.safe_open import CONFINED_VARIABLE, confine, identity_of, open_regular, release

needs_links = pytest.mark.skipif(os.name == "nt", reason="links and pipes need a privilege on Windows")
CANARY = b"canary"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A confined log directory beside a file that must not be read."""
    monkeypatch.setenv(CONFINED_VARIABLE, "")
    (tmp_path / "secret").write_bytes(CANARY)
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "mine").write_bytes(b"mine")
    confine(folder)
    yield folder
    release(folder)


def read(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


def test_what_lies_there_is_read(logs: Path) -> None:
    assert read(logs / "mine") == b"mine"
    assert read(logs.parent / "secret") == CANARY


@needs_links
@pytest.mark.parametrize("way", ["link", "folder/secret", "twice"])
def test_no_link_leads_out(logs: Path, way: str) -> None:
    (logs / "link").symlink_to("../secret")
    (logs / "folder").symlink_to("..")
    (logs / "twice").symlink_to("link")
    with pytest.raises(OSError, match="leads out of the log directory"):
        read(logs / way)
    (logs / "inner").symlink_to("mine")
    assert read(logs / "inner") == b"mine"
    release(logs)
    assert read(logs / way) == CANARY


@needs_links
def test_a_log_directory_may_itself_be_a_link(logs: Path) -> None:
    linked = logs.with_name("linked")
    linked.symlink_to(logs)
    confine(linked)
    assert read(linked / "mine") == b"mine"
    (logs / "link").symlink_to("../secret")
    with pytest.raises(OSError, match="leads out"):
        read(linked / "link")
    release(linked)


def test_a_folder_whose_name_begins_alike_is_another(logs: Path) -> None:
    beside = Path(f"{logs}-secret")
    beside.write_bytes(CANARY)
    assert read(beside) == CANARY


@needs_links
def test_nothing_but_a_regular_file_is_opened_or_waited_for(logs: Path) -> None:
    os.mkfifo(logs / "pipe")
    (logs / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero", "."):
        with pytest.raises(OSError, match=r"no regular file|leads out"):
            read(logs / name)


def test_a_change_under_the_same_size_and_time_is_another_file(logs: Path) -> None:
    path = logs / "mine"
    before, status = identity_of(path), path.stat()
    path.write_bytes(b"your")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert identity_of(path) != before
    assert identity_of(path)[:4] == before[:4]


def swap_file(logs: Path) -> None:
    """What `run/swapped` is, one thing after the other."""
    aside, target = logs / "aside", logs / "run" / "swapped"
    kinds: tuple[Callable[[], object], ...] = (
        lambda: aside.symlink_to("../../secret"),
        lambda: aside.write_bytes(b"mine"),
        lambda: os.mkfifo(aside),
        lambda: aside.symlink_to("/dev/zero"),
    )
    for make in kinds:
        make()
        aside.replace(target)


def swap_folder(logs: Path) -> None:
    """The folder of the file is a link to one outside, and itself again."""
    run, aside = logs / "run", logs / "aside"
    run.rename(aside)
    run.symlink_to("../outside")
    run.unlink()
    aside.rename(run)


@needs_links
@pytest.mark.parametrize("swap", [swap_file, swap_folder])
@pytest.mark.parametrize("races", [300, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_what_is_swapped_while_it_is_opened_gives_itself_or_nothing(
    logs: Path, races: int, swap: Callable[[Path], None]
) -> None:
    target, over = logs / "run" / "swapped", threading.Event()
    for folder, content in ((logs / "run", b"mine"), (logs.parent / "outside", CANARY)):
        folder.mkdir()
        (folder / "swapped").write_bytes(content)
    often, threads = sys.getswitchinterval(), threading.active_count()
    sys.setswitchinterval(1e-5)

    def swap_on() -> None:
        while not over.is_set():
            swap(logs)

    thread = threading.Thread(target=swap_on)
    thread.start()
    seen: Counter[bytes] = Counter()
    for _ in range(races):
        try:
            seen[read(target)] += 1
        except OSError:
            seen[b"refused"] += 1
    over.set()
    thread.join()
    sys.setswitchinterval(often)
    assert set(seen) <= {b"mine", b"refused"}
    assert threading.active_count() == threads


PACKAGE = Path(__file__).parents[1] / "tbprof"

OPENS = frozenset(
    {"open", "read_text", "read_bytes", "write_text", "write_bytes", "connect", "load", "tofile"}
)
OPENS_OF_SHUTIL = frozenset({"copy", "copy2", "copyfile", "copytree", "move"})

OWN_FILES = "a file of the package"
OF_THE_SYSTEM = "a file of /proc or /sys"
OF_THE_USER = "what somebody named on the command line, who may mean a pipe or a device"
PRIVATE = "in a folder of this user's alone"
CHECKED = "looked at by `safe_open` just before, since what reads it takes a name"
NO_FILE = "no file"

ELSEWHERE = {
    "analysis/limits/devices.py": {"read_text": OWN_FILES},
    "html_report/html_page.py": {"read_text": OWN_FILES},
    "plugin/routes/access_control.py": {"read_bytes": OWN_FILES},
    "manual/pages.py": {"read_text": OWN_FILES},
    "rules/files.py": {"read_text": OWN_FILES},
    "texts/rule_pages.py": {"read_text": OWN_FILES},
    "store/regenerate.py": {"read_text": OWN_FILES, "write_text": OWN_FILES},
    "process/memory_limit.py": {"read_text": OF_THE_SYSTEM},
    "hook/window/facts.py": {"read_text": OF_THE_SYSTEM},
    "hook/memory/out_of_memory.py": {"read_text": OF_THE_SYSTEM},
    "hook/processes.py": {"read_text": OF_THE_SYSTEM, "read_bytes": OF_THE_SYSTEM},
    "standard_streams.py": {"open": OF_THE_SYSTEM},
    "cli/reading.py": {"open": OF_THE_USER},
    "cli/output_file.py": {"open": OF_THE_USER},
    "cli/commands/skill.py": {"read_text": OWN_FILES},
    "experiment/gates.py": {"read_text": OF_THE_SYSTEM},
    "experiment/measurements.py": {"read_bytes": OF_THE_USER},
    "experiment/one_side.py": {"open": NO_FILE},
    "experiment/players.py": {"open": PRIVATE, "read_text": PRIVATE},
    "experiment/turns.py": {"read_text": OF_THE_SYSTEM},
    "experiment/verify.py": {"write_bytes": PRIVATE},
    "program/main_program.py": {"read_bytes": OF_THE_USER},
    "preflight/fits/batch_size.py": {"read_bytes": OF_THE_USER},
    "preflight/fix/command.py": {"read_bytes": OF_THE_USER},
    "preflight/fix/proving.py": {"read_bytes": PRIVATE, "write_bytes": PRIVATE},
    "preflight/fix/source.py": {"read_bytes": PRIVATE},
    "preflight/patches/cuda_tools.py": {"write_bytes": OF_THE_USER},
    "trace/export/published_trace.py": {"open": OF_THE_USER},
    "hook/spool.py": {"open": "a folder, opened as nothing else"},
    "process/detached.py": {"open": PRIVATE, "read_text": NO_FILE},
    "preflight/fits/command.py": {"read_text": PRIVATE},
    "preflight/fits/one_size.py": {"write_text": PRIVATE},
    "preflight/child_runs.py": {"write_bytes": PRIVATE, "read_bytes": PRIVATE},
    "preflight/proof/changes.py": {"read_text": OF_THE_USER, "read_bytes": OF_THE_USER},
    "preflight/proof/reached.py": {"open": PRIVATE, "read_text": PRIVATE},
    "preflight/proof/record.py": {"write_bytes": PRIVATE, "read_bytes": PRIVATE},
    "preflight/proof/rounding.py": {"open": PRIVATE},
    "preflight/proof/state.py": {"open": PRIVATE},
    "preflight/proof/running.py": {"open": PRIVATE, "read_text": PRIVATE, "read_bytes": OF_THE_SYSTEM},
    "preflight/proof/sides.py": {"copy2": OF_THE_USER},
    "trace/importers/kineto_writer.py": {"open": PRIVATE},
    "trace/column_cache.py": {"write_bytes": PRIVATE, "tofile": PRIVATE},
    "trace/importers/sqlite_tables.py": {"connect": CHECKED},
    "trace/importers/unpacked.py": {"open": NO_FILE},
    "trace/importers/kineto/parallel_reader.py": {"load": NO_FILE},
    "cli/commands/demo.py": {"copytree": OWN_FILES, "open": NO_FILE},
}
"""Whatever else opens a file, with what it opens; a file that is made, and was not there, leads nowhere."""


def opens_in(source: str) -> Iterator[str]:
    """What a module calls to open a file, by the name of the function."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or _last_name(node.func) not in OPENS | OPENS_OF_SHUTIL:
            continue
        owner, _, name = ast.unparse(node.func).rpartition(".")
        makes_new = any(isinstance(one, ast.Constant) and one.value == "xb" for one in node.args)
        of_others = name in ("load", "connect") and owner not in ("np", "sqlite3", "pickle")
        if (name in OPENS and not makes_new and not of_others) or (
            owner == "shutil" and name in OPENS_OF_SHUTIL
        ):
            yield name


def _last_name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def test_every_file_is_opened_here_or_is_known_to_be_nobody_else_s() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): {*opens_in(path.read_text(encoding="utf-8"))}
        for path in PACKAGE.rglob("*.py")
        if path.name != "safe_open.py"
    }
    assert {file: names for file, names in found.items() if names} == {
        file: set(reasons) for file, reasons in ELSEWHERE.items()
    }


def test_each_way_of_opening_is_found() -> None:
    calls = "open(p), p.open(), os.open(p, 0), gzip.open(p), p.read_text(), sqlite3.connect(p), np.load(p)"
    assert len([*opens_in(f"{calls}, shutil.copy(p, q), a.tofile(p), p.open('xb')")]) == 9
