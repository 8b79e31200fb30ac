"""Files that others may swap at any moment: none is waited for, and none from outside is read."""

from __future__ import annotations

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
