"""What a run of a proof may not do, and what would make it differ from the next one.

It changes no file in the folder that it was made from, and gets nothing from the network. What it puts in the
place of functions of torch and Python, and where it asks for what answers otherwise each time, is noted.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from tbprof.preflight.patch import Patch
from tbprof.preflight.proof.record import Fault
from tbprof.preflight.user_frame import origin
from tbprof.program.caller_frame import STANDARD_LIBRARY, TORCH, library_of

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.truncate")
_OF_THIS_HOST = ("", "localhost", "::1", "0.0.0.0", "::")


class Guard:
    """Refuses in this process, until it ends, what would change or reach what is not the side's."""

    def __init__(self, original: Path, root: Path, links: tuple[str, ...], record: Path) -> None:
        self.refused: dict[str, None] = {}
        self.faults: dict[Fault, None] = {}
        self._is_on = False
        self._original = str(original) + os.sep
        temporary, self._records = record.with_suffix(".tmp"), str(record.parent) + os.sep
        self._own = tuple(str(each) + os.sep for each in (root, *links, temporary))
        self._ours = tuple(str(record.with_suffix(each)) for each in (".values", ".reached", ".said"))

    def start(self) -> None:
        self._is_on = True
        sys.addaudithook(self._hear)

    def stop(self) -> None:
        """The program is over: what is written to records is ours."""
        self._is_on = False

    def check_file(self, path: Any) -> None:
        """Refuse a file in the folder that the side was made from.

        Raises:
            PermissionError: It is one.
        """
        if not isinstance(path, str | bytes | os.PathLike):
            return
        full = os.path.realpath(os.fsdecode(path))
        if self._is_on and full.startswith(self._records) and not full.startswith((*self._own, *self._ours)):
            self.faults.setdefault(Fault("patched", "", f"it reaches for what this proof writes ({full})"))
            raise PermissionError(1, "tbprof prove keeps its records", full)
        if full.startswith(self._original) and not full.startswith(self._own):
            self._refuse(f"to write to {full}, outside of the folder of this run")
            raise PermissionError(1, "tbprof prove leaves this folder as it is", full)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if (isinstance(mode, str) and set(mode) & set("wax+")) or (flags or 0) & _WRITES:
                self.check_file(path)
                if str(path).endswith((".py", ".pth")):
                    what = f"{Path(str(path)).name} is written, which Python may run another time"
                    self.faults.setdefault(Fault("patched", "", what))
        elif event in _CHANGES:
            for path in arguments[:2]:
                self.check_file(path)
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            self._check_host(arguments[1][0])
        elif event == "socket.getaddrinfo":
            self._check_host(arguments[0])

    def _check_host(self, host: Any) -> None:
        name = os.fsdecode(host) if isinstance(host, str | bytes) else ""
        if name in _OF_THIS_HOST or name.startswith("127.") or name == socket.gethostname():
            return
        self._refuse(f"for {name} on the network")
        raise ConnectionRefusedError(111, f"tbprof prove has no network: {name}")

    def _refuse(self, what: str) -> None:
        where = origin(sys._getframe(2))
        at = f" at {where.source.file}:{where.source.line}" if where else ""
        self.refused.setdefault(f"it asked {what}{at}")

    def saving(self, original: Any) -> Any:
        """`torch.save` writes files without Python's knowledge."""

        @wraps(original)
        def save(obj: Any, f: Any, *args: Any, **options: Any) -> Any:
            self.check_file(f)
            return original(obj, f, *args, **options)

        return save


_UNDETERMINED = (
    ("numpy.random", "default_rng"),
    ("numpy.random", "seed"),
    ("random", "seed"),
    ("torch", "seed"),
    ("os", "urandom"),
    ("time", "time"),
    ("time", "time_ns"),
    ("time", "perf_counter"),
    ("uuid", "uuid4"),
)
_WITH_SEED = ("default_rng", "seed")


def undetermined_patches(found: dict[str, None]) -> tuple[Patch, ...]:
    """What notes where the program itself asks for time, the system's randomness or an unseeded generator."""

    def noting(name: str, takes_seed: bool) -> Callable[[Any], Any]:
        def make(original: Any) -> Any:
            @wraps(original)
            def call(*args: Any, **options: Any) -> Any:
                frame = sys._getframe(1)
                file = frame.f_code.co_filename
                has_seed = takes_seed and (args[:1] not in ((), (None,)) or options)
                if not has_seed and not file.startswith((TORCH, STANDARD_LIBRARY, "<")):
                    where = None if library_of(file) else origin(frame)
                    if where is not None:
                        found.setdefault(f"{name}() at {where.source.file}:{where.source.line}")
                return original(*args, **options)

            return call

        return make

    return tuple(
        Patch(module, name, noting(f"{module}.{name}", name in _WITH_SEED), once_loaded=True)
        for module, name in _UNDETERMINED
    )


_WATCHED = re.compile(
    r"(?:torch(?:\.(?:_tensor|_ops|cuda|amp|autograd|random|functional|nn|optim|utils\.data)\b.*)?"
    r"|tbprof\..*|time|random|builtins|numpy\.random)$"
)
"""Modules whose functions and classes no change may replace."""


def functions_now() -> dict[str, tuple[Any, Any]]:
    """The functions of torch, time, random and tbprof, by name, with their code."""
    return {
        f"{owner}.{name}": (value, getattr(value, "__code__", None))
        for owner, held in _owners()
        for name, value in list(held.items())
        if callable(value) and not isinstance(value, ModuleType)
    }


def _owners() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for module_name, module in list(sys.modules.items()):
        if _WATCHED.match(module_name) and isinstance(module, ModuleType):
            yield module_name, vars(module)
            for name, value in list(vars(module).items()):
                is_own = isinstance(value, type) and value.__module__ == module_name
                if is_own or value is torch.Tensor:
                    yield f"{module_name}.{name}", vars(value)


def replaced(before: Mapping[str, tuple[Any, Any]]) -> Iterator[Fault]:
    """What is another function now, but for what preflight itself puts there late."""
    now = functions_now()
    for name, (value, code) in before.items():
        other, code_now = now.get(name, (None, None))
        module = str(getattr(other, "__module__", ""))
        if other is value and code_now is code:
            continue
        file = getattr(code_now, "co_filename", "")
        if other is not value and (
            module.startswith(("tbprof.preflight", "torch._dynamo"))
            or file.startswith((TORCH, STANDARD_LIBRARY))
            or (file and library_of(file))
        ):
            continue
        source = f"{Path(file).name}:{code_now.co_firstlineno}" if file else ""
        at = f" by what is defined at {source}" if source else ""
        yield Fault("patched", source, f"{name} was replaced{at}")


def modules_from(original: Path, root: Path) -> tuple[str, ...]:
    """The user's modules that were imported from the folder that the side was made from."""
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or name.partition(".")[0] == "tbprof" or library_of(file):
            continue
        path = Path(file).resolve()
        if path.is_relative_to(original) and not path.is_relative_to(root):
            found.append(f"{name} ({path})")
    return tuple(sorted(found))
