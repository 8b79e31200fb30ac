"""The tests' interpreter and packages as users may run them who can't enter its folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns("__pycache__", "site-packages", "test", "idlelib", "*.a", "config-*")


def is_runnable_by(user: int, python: str, environment: dict[str, str]) -> bool:
    """Whether a user has tbprof by this interpreter."""
    try:
        done = subprocess.run(
            [python, "-c", "import tbprof, tensorboard"],
            env={**os.environ, **environment},
            user=user,
            group=user,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            check=False,
        )
    except PermissionError:
        return False
    return done.returncode == 0


def put_readable_python(folder: Path) -> tuple[str, dict[str, str]]:
    """Copy the interpreter to an empty folder that all may enter, and say how it is started.

    Returns:
        The program, and the variables by which it finds its library and what the tests have installed.
    """
    library = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(library, folder / "lib" / library.name, ignore=_LEFT_OUT)
    for shared in library.parent.glob("libpython*.so*"):
        shutil.copy(shared, folder / "lib")
    program = folder / "bin" / f"python{sysconfig.get_python_version()}"
    program.parent.mkdir()
    shutil.copy(os.path.realpath(sys.executable), program)
    own = str(library)
    packages = [
        path for path in sys.path if path and not (path.startswith(own) and "site-packages" not in path)
    ]
    return str(program), {"PYTHONPATH": os.pathsep.join(packages), "LD_LIBRARY_PATH": str(folder / "lib")}
