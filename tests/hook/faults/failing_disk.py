"""The preloaded library by which a disk fails at a chosen operation; see `failing_disk.c`."""

from __future__ import annotations

import errno
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EMFILE, errno.EDQUOT)

KILLED = 0
"""Instead of an error: SIGKILL, as by the system when memory is short."""

CHILD_ARGUMENT = "publish"
"""What the command line of a publishing process has, and a training's has not."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and where."""

    at: int
    """The number of the operation; 0: nothing goes wrong, and all are counted."""
    error: int = KILLED
    forever: bool = False
    """Every later operation fails as well."""
    in_child: bool = False
    """In the publishing process, not in the training."""

    def __str__(self) -> str:
        who = "child" if self.in_child else "training"
        how = errno.errorcode.get(self.error, "SIGKILL")
        return f"{who}, operation {self.at}, {how}{' from there on' if self.forever else ''}"


def compiler() -> str | None:
    """A C compiler of this machine."""
    return shutil.which("gcc") or shutil.which("cc")


def build(folder: Path) -> Path:
    """Compile the library into `folder`."""
    library = folder / "failing_disk.so"
    command = [str(compiler()), "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*command, "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def disk(fault: Fault, folder: Path) -> Mapping[str, str]:
    """Variables that make `folder/watched` such a disk."""
    return {
        "DISK_FOLDERS": str(folder / "watched"),
        "DISK_AT": str(fault.at),
        "DISK_ERROR": str(fault.error),
        "DISK_FOREVER": str(int(fault.forever)),
        "DISK_FIRED": str(folder / "fired"),
        "DISK_LOG": str(folder / "operations"),
        "DISK_ONLY": CHILD_ARGUMENT if fault.in_child else "",
    }


def operations(folder: Path) -> list[tuple[int, str]]:
    """Number and name of each operation, in their order; of several children each counts for itself."""
    log = folder / "operations"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [(int(line.split(" ", 1)[0]), line.split(" ", 1)[1]) for line in lines]


def hit(fault: Fault, folder: Path) -> str | None:
    """The operation that failed first; None where there were not so many."""
    return next((name for number, name in operations(folder) if number == fault.at), None)
