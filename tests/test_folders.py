"""The cache: used where nobody else could have put something in its place, at any level of its path."""

from __future__ import annotations

import errno
import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tbprof.folders import cache_folder, private_cache_folder
from tbprof.store.files import write_whole

pytestmark = pytest.mark.skipif(os.name == "nt", reason="owners and permissions are those of POSIX")

OTHER_USER = 65534
as_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give folders away")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own, with nothing in it."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("TBPROF_NO_CACHE_SAID", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    monkeypatch.setenv("HOME", str(home))
    return home


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o027, 0o077])
def test_whatever_the_umask_each_level_is_the_users_alone(home: Path, mask: int) -> None:
    with umask(mask):
        folder = private_cache_folder("reports")
    assert folder == home / ".cache" / "tbprof" / "reports"
    for level in (folder, folder.parent, folder.parent.parent):
        assert not stat.S_IMODE(level.stat().st_mode) & 0o077


def test_a_group_that_is_handed_down_changes_nothing(home: Path) -> None:
    home.chmod(0o2755)
    assert private_cache_folder("reports") is not None


def test_a_level_that_an_earlier_version_made_for_the_group_is_closed(home: Path) -> None:
    (home / ".cache" / "tbprof").mkdir(parents=True)
    (home / ".cache" / "tbprof").chmod(0o775)
    assert private_cache_folder("reports") is not None
    assert stat.S_IMODE((home / ".cache" / "tbprof").stat().st_mode) == 0o700


def open_to_all(cache: Path) -> None:
    cache.chmod(0o777)


def open_to_a_group(cache: Path) -> None:
    os.chown(cache, -1, OTHER_USER)
    cache.chmod(0o775)


def given_away(cache: Path) -> None:
    os.chown(cache, OTHER_USER, OTHER_USER)


def own_folder_given_away(cache: Path) -> None:
    os.chown(cache / "tbprof", OTHER_USER, OTHER_USER)


def own_folder_swapped(cache: Path) -> None:
    (cache / "tbprof").rename(cache / "elsewhere")
    (cache / "tbprof").symlink_to(cache / "elsewhere")


def leaf_swapped(cache: Path) -> None:
    (cache / "tbprof" / "reports").rename(cache / "elsewhere")
    (cache / "tbprof" / "reports").symlink_to(cache / "elsewhere")


def linked_into_a_shared_place(cache: Path) -> None:
    shared = cache.parent / "shared"
    cache.rename(shared)
    shared.chmod(0o777)
    cache.symlink_to(shared)


@as_root
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (open_to_all, "others may write"),
        (open_to_a_group, "others may write"),
        (given_away, "belongs to another user"),
        (own_folder_given_away, "belongs to another user"),
        (own_folder_swapped, "is a link"),
        (leaf_swapped, "is a link"),
        (linked_into_a_shared_place, "others may write"),
    ],
)
def test_a_path_that_others_could_turn_is_not_used_and_that_is_said_once(
    home: Path, caplog: pytest.LogCaptureFixture, change: Callable[[Path], None], said: str
) -> None:
    assert private_cache_folder("reports") is not None
    change(home / ".cache")
    with caplog.at_level(logging.WARNING):
        assert private_cache_folder("reports") is None
        assert private_cache_folder("reports") is None
    [line] = caplog.messages
    assert said in line


def test_a_link_of_the_users_own_to_a_place_of_their_own_is_followed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir(mode=0o700)
    (home / ".cache").symlink_to(tmp_path / "scratch")
    assert private_cache_folder("reports") is not None


@pytest.mark.usefixtures("home")
def test_who_has_no_home_has_no_cache_and_hears_of_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_home(_: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", classmethod(no_home))
    assert cache_folder() is None
    with caplog.at_level(logging.WARNING):
        assert private_cache_folder("reports") is None
    assert "this user has no home: set XDG_CACHE_HOME" in caplog.text


@pytest.mark.parametrize("chosen", ["", "relative/cache"])
def test_a_relative_folder_is_none(home: Path, monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", chosen)
    assert cache_folder() == home / ".cache" / "tbprof"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of sizes are those of Linux")
@pytest.mark.usefixtures("home")
def test_what_does_not_fit_leaves_nothing_behind() -> None:
    """A full file system, or a spent quota, fails in the midst of a write as this limit does."""
    import resource

    folder = private_cache_folder("reports")
    assert folder is not None
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            write_whole(folder / "report", bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(folder.iterdir()) == []
