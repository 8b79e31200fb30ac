"""Python in a process of its own that imports this tbprof, and nothing of what its parent was started among.

The folder that a training or TensorBoard was started in may hold a `numpy.py`: it must not be imported.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tbprof.folders import PACKAGE
from tbprof.process.one_thread import ONE_THREAD

_IDLE: int = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)
"""The priority class of Windows."""

_DROPPED_VARIABLES = ("PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONDEVMODE")
"""They are meant for the parent; a warning that becomes an error there must not stop us here."""


def start_python(
    module: str,
    arguments: Sequence[str] = (),
    *,
    folder: Path = PACKAGE.parent,
    variables: Mapping[str, str] = MappingProxyType({}),
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int | None = None,
    start_new_session: bool = False,
    pass_fds: Sequence[int] = (),
    is_idle: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `python -m module arguments...`, out of sight of any GPU.

    Args:
        module: of tbprof.
        arguments: its own.
        folder: where it works; before Python 3.11, modules that lie there are found first.
        variables: of its environment, besides those of this process.
        stdin: this and what follows as for `subprocess.Popen`.
        stdout: see there.
        stderr: see there.
        start_new_session: see there.
        pass_fds: see there.
        is_idle: whether it gives way to all others, where a process is started so; elsewhere see `beside`.

    Raises:
        OSError: The system can't start a process now, or this program is no Python.
    """
    return subprocess.Popen(
        python_command(module, arguments),
        cwd=folder,
        env={**environment(), **variables},
        creationflags=_IDLE if is_idle else 0,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=start_new_session,
        pass_fds=pass_fds,
    )


def python_command(module: str, arguments: Sequence[str]) -> list[str]:
    """The command that runs a module of tbprof.

    Raises:
        OSError: This program is no Python.
    """
    if getattr(sys, "frozen", False):
        # sys.executable is the parent itself, which would begin once more.
        raise OSError("a frozen program has no Python to start")
    if not sys.executable:
        raise OSError("this program does not say where Python is (sys.executable is empty)")
    if not os.access(sys.executable, os.X_OK):
        raise OSError(f"{sys.executable} is no Python that can be started")
    isolation = ["-P"] if sys.version_info >= (3, 11) else []
    return [sys.executable, *isolation, "-m", module, *arguments]


def environment() -> dict[str, str]:
    """The variables of a process that is started."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED_VARIABLES}
    return {**ONE_THREAD, **kept, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": os.pathsep.join(import_path())}


def import_path() -> list[str]:
    """What a process needs beyond its own installation to find the same tbprof.

    The folders of the parent's script stay out: a `numpy.py` there must break nothing.
    """
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    try:
        own = {Path.cwd(), *(Path(script).absolute().parent for script in sys.argv[:1])}
        asked_for = [Path(entry).absolute() for entry in entries]
    except OSError:
        # The folder that the parent was started in is gone, and what was in it with it.
        own, asked_for = set(), [Path(entry) for entry in entries if Path(entry).is_absolute()]
    folders = [folder for folder in asked_for if folder not in own]
    home = PACKAGE.absolute().parent
    if home not in _installed_packages():
        folders.insert(0, home)
    return [str(folder) for folder in folders]


def _installed_packages() -> set[Path]:
    paths = sysconfig.get_paths()
    return {Path(folder) for folder in (paths["purelib"], paths["platlib"], site.getusersitepackages())}
