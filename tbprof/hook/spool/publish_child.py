"""How a publishing child is started, so that nothing of the training reaches it."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from tbprof.folders import PACKAGE

__all__ = ["start_child"]

DROPPED_VARIABLES = ("PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONDEVMODE")
"""They are meant for the training; a warning that becomes an error there must not stop us here."""


def start_child(
    trace: Path, logdir: str, arguments: Sequence[str], output: int, held: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start `tbprof publish` for a spooled trace, in a session of its own.

    Args:
        trace: the spooled trace; its folder is the child's working directory.
        logdir: the run's folder.
        arguments: further options of the command.
        output: file descriptor for all that the child writes.
        held: file descriptors that it keeps open, on systems that can hand them down.

    Raises:
        OSError: the system can't start a process now, or this program is no Python.
    """
    if getattr(sys, "frozen", False):
        # sys.executable is the training itself, which would begin once more.
        raise OSError("a frozen program has no Python to publish with; tbprof publish does it elsewhere")
    # -P and the working directory keep the training's own files off the child's import path.
    isolation = ["-P"] if sys.version_info >= (3, 11) else []
    return subprocess.Popen(
        [sys.executable, *isolation, "-m", "tbprof", "publish", str(trace), "--logdir", logdir, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        cwd=trace.parent,
        env=_child_environment(),
        start_new_session=True,
        pass_fds=() if os.name == "nt" else tuple(held),
    )


def _child_environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in DROPPED_VARIABLES}
    environment["CUDA_VISIBLE_DEVICES"] = ""
    # What it says is read back from its log.
    environment["PYTHONIOENCODING"] = "utf-8:backslashreplace"
    environment["PYTHONPATH"] = os.pathsep.join(_child_import_path())
    return environment


def _child_import_path() -> list[str]:
    """What the child needs beyond its own installation to find the same tbprof.

    The folders of the training script stay out: a `numpy.py` there must break nothing.
    """
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    try:
        training = {Path.cwd(), *(Path(script).absolute().parent for script in sys.argv[:1])}
        asked_for = [Path(entry).absolute() for entry in entries]
    except OSError:
        # The folder that the training was started in is gone, and what was in it with it.
        training, asked_for = set(), [Path(entry) for entry in entries if Path(entry).is_absolute()]
    folders = [folder for folder in asked_for if folder not in training]
    home = PACKAGE.absolute().parent
    if home not in _installed_packages():
        folders.insert(0, home)
    return [str(folder) for folder in folders]


def _installed_packages() -> set[Path]:
    paths = sysconfig.get_paths()
    return {Path(folder) for folder in (paths["purelib"], paths["platlib"], site.getusersitepackages())}
