"""The sides of a proof: each in a folder of its own, made from a revision, a folder or a script.

A revision is checked out as a worktree of git in a temporary folder; a folder, or that of a script, is
copied: in a repository the files that git knows or would take, so that neither data nor environments come
along. What a program writes where it runs is gone with the temporary folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tbprof.errors import UsageError
from tbprof.records import dataclass

_PREFIX = "tbprof-prove-"
_MOST_COPIED_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    """The words of the user."""
    program: str
    root: Path
    folder: Path
    original: Path


@contextmanager
def sides_of(names: Sequence[str], program: str | None, links: Sequence[str]) -> Iterator[tuple[Side, ...]]:
    """The sides, for as long as the block runs.

    Args:
        names: Of a proof the side before the change, and the one after it.
        program: The script or module of all; None where the sides are scripts themselves.
        links: Files or folders that git does not know, and all sides get as links.

    Raises:
        UsageError: A side can't be made.
    """
    are_scripts = [Path(name).is_file() for name in names]
    if program is None and not all(are_scripts):
        raise UsageError(
            f"{' and '.join(names)}: give two scripts, or two revisions or folders and the script of both"
        )
    if program is not None and any(are_scripts):
        raise UsageError(f"{program} is one script too many: two scripts are the two sides themselves")
    if program is not None and Path(program).is_absolute():
        raise UsageError(
            f"{program} is one file for all sides: name it from this folder, as {Path(program).name}"
        )
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as temporary:
        made: list[Side] = []
        try:
            for number, name in enumerate(names):
                # A folder of the same length for each: paths in tensors' seeds and hashes stay as long.
                made.append(_side(name, program, Path(temporary).resolve() / f"side{number}"))
                _link(links, made[-1])
            yield tuple(made)
        finally:
            _remove_worktrees(Path(temporary).resolve(), len(names))


def _side(name: str, program: str | None, root: Path) -> Side:
    path = Path(name)
    if path.is_file():
        return _script(path.resolve(), name, root)
    if path.is_dir():
        return _folder(path.resolve(), name, program or "", root)
    return _revision(name, program or "", root)


def _script(path: Path, name: str, root: Path) -> Side:
    original = top_of(path.parent) or path.parent
    here = Path.cwd().resolve()
    folder = here if here.is_relative_to(original) and path.is_relative_to(here) else path.parent
    _copy(original, root, name)
    # One that git ignores was named all the same.
    target = root / path.relative_to(original)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    inside = root / folder.relative_to(original)
    return Side(name, str(path.relative_to(folder)), root, inside, original)


def _folder(path: Path, name: str, program: str, root: Path) -> Side:
    original = top_of(path) or path
    _copy(original, root, name)
    return Side(name, program, root, root / path.relative_to(original), original)


def _revision(name: str, program: str, root: Path) -> Side:
    top = top_of(Path.cwd())
    if top is None:
        raise UsageError(f"{name} is neither a file nor a folder, and this is no repository of git")
    commit = git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if commit.returncode:
        raise UsageError(f"{name} is neither a file, nor a folder, nor a revision that git knows here")
    added = git(
        *(top, "-c", f"core.hooksPath={os.devnull}", "worktree", "add", "--detach", "--force"),
        *(str(root), commit.stdout.decode().strip()),
    )
    if added.returncode:
        raise UsageError(f"{name} can't be checked out: {_last_line(added.stderr)}")
    folder = root / Path.cwd().resolve().relative_to(top)
    if not folder.is_dir():
        raise UsageError(f"{name} has no folder {folder.relative_to(root)}: run this from one that both have")
    return Side(name, program, root, folder, top)


def _copy(original: Path, root: Path, name: str) -> None:
    if root.exists():
        return
    total = 0
    for relative in _files_of(original):
        source, target = original / relative, root / relative
        with suppress(FileNotFoundError):
            total += source.lstat().st_size
            if total > _MOST_COPIED_BYTES:
                raise UsageError(
                    f"the folder of {name} ({original}) holds more than 1 GB that would have to be copied: "
                    "put the program into a repository of git, or into a folder of its own"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    root.mkdir(exist_ok=True)


def _files_of(folder: Path) -> Iterator[Path]:
    if (folder / ".git").exists():
        listed = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for each in dict.fromkeys(os.fsdecode(listed.stdout).split("\0")):
            # A submodule is listed as the folder that it is.
            if each and not (folder / each).is_dir():
                yield Path(each)
        return
    for at, folders, files in os.walk(folder):
        # The temporary folder may lie in the one that is copied.
        folders[:] = [each for each in folders if each != "__pycache__" and not each.startswith(_PREFIX)]
        for each in files:
            if not (path := Path(at) / each).is_fifo():
                yield path.relative_to(folder)


def on_this_side(entry: str, original: Path, root: Path) -> str:
    """A folder that modules are imported from, such as that of `pip install -e`, in the side."""
    path = Path(entry).resolve()
    is_mapped = entry and path.is_relative_to(original) and not (path / "tbprof" / "preflight").is_dir()
    inside = root / path.relative_to(original) if is_mapped else path
    return str(inside) if is_mapped and inside.is_dir() else entry


def _link(links: Sequence[str], side: Side) -> None:
    for link in links:
        source = Path(link).resolve()
        if not source.exists():
            raise UsageError(f"--link {link}: there is no such file or folder")
        within = source.relative_to(side.original) if source.is_relative_to(side.original) else None
        target = side.root / within if within is not None else side.folder / source.name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)


def left_out(original: str, links: Sequence[str]) -> str:
    """What is to be said of a run that failed where files are missing that git ignores; "" where none are."""
    ignored = ("--others", "--ignored", "--exclude-standard", "--directory")
    listed = os.fsdecode(git(Path(original), "ls-files", "-z", *ignored).stdout).split("\0")
    names = [
        name
        for name in listed
        if name and not re.search(r"(^|/)(\.|__pycache__/)", name) and str(Path(original, name)) not in links
    ]
    shown = ", ".join(names[:3])
    return f"; what git ignores is not there ({shown}): --link {names[0]} brings it" if names else ""


def top_of(folder: Path) -> Path | None:
    """The folder of the repository that this one is in."""
    found = git(folder, "rev-parse", "--show-toplevel")
    return None if found.returncode else Path(found.stdout.decode().strip()).resolve()


def _remove_worktrees(temporary: Path, number: int) -> None:
    top = top_of(Path.cwd())
    for root in (temporary / f"side{at}" for at in range(number)):
        is_worktree = (root / ".git").is_file() or not root.exists()
        shutil.rmtree(root, ignore_errors=True)
        if top is not None and is_worktree:
            # Git knows one that was interrupted before its files were there, too.
            git(top, "worktree", "remove", "--force", "--force", str(root))


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        return subprocess.CompletedProcess(arguments, 127, b"", b"git is not installed")


def _last_line(said: bytes) -> str:
    return next(reversed(said.decode(errors="replace").strip().splitlines()), "git says no reason")
