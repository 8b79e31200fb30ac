"""What a run of a proof may not do, and what would make it differ from the next one.

It changes no file in the folder that it was made from, and gets nothing from the network. What it puts in the
place of functions of torch and Python, and where it asks for what answers otherwise each time, is noted.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from tbprof.preflight.patch import Patch
from tbprof.preflight.proof.record import Fault
from tbprof.preflight.user_frame import origin
from tbprof.program.caller_frame import STANDARD_LIBRARY, TORCH, library_of

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.truncate")
_OF_THIS_HOST = ("", "localhost", "::1", "0.0.0.0", "::")


class Guard:
    """Refuses in this process, until it ends, what would change or reach what is not the side's."""

    def __init__(self, original: Path, root: Path, links: tuple[str, ...]) -> None:
        self.refused: dict[str, None] = {}
        self._original = str(original) + os.sep
        self._own = tuple(str(each) + os.sep for each in (root, *links))

    def start(self) -> None:
        sys.addaudithook(self._hear)

    def check_file(self, path: Any) -> None:
        """Refuse a file in the folder that the side was made from.

        Raises:
            PermissionError: It is one.
        """
        if not isinstance(path, str | bytes | os.PathLike):
            return
        full = os.path.realpath(os.fsdecode(path))
        if full.startswith(self._original) and not full.startswith(self._own):
            self._refuse(f"to write to {full}, outside of the folder of this run")
            raise PermissionError(1, "tbprof prove leaves this folder as it is", full)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if (isinstance(mode, str) and set(mode) & set("wax+")) or (flags or 0) & _WRITES:
                self.check_file(path)
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


_WATCHED = (
    *("torch", "torch.cuda", "torch.nn.functional", "torch.autograd", "torch.random", "torch.optim"),
    *("torch.utils.data", "torch.utils.data.dataloader", "time", "random", "builtins", "numpy.random"),
)
_WATCHED_CLASSES = (
    *("torch:Tensor", "torch.nn:Module", "torch.optim:Optimizer", "torch.optim:SGD", "torch.optim:Adam"),
    *("torch.optim:AdamW", "torch.utils.data:DataLoader"),
)


def functions_now() -> dict[str, Any]:
    """The functions and classes of torch, time, random and tbprof, by name."""
    return {
        f"{owner}.{name}": value
        for owner, held in _owners()
        for name, value in list(held.items())
        if callable(value) and not isinstance(value, ModuleType)
    }


def _owners() -> Iterator[tuple[str, Mapping[str, Any]]]:
    own = [name for name in sys.modules if name.startswith("tbprof.")]
    for name in (*_WATCHED, *own):
        if (module := sys.modules.get(name)) is not None:
            yield name, vars(module)
    for name in _WATCHED_CLASSES:
        module_name, _, attribute = name.partition(":")
        yield f"{module_name}.{attribute}", vars(getattr(sys.modules[module_name], attribute))


def replaced(before: Mapping[str, Any]) -> Iterator[Fault]:
    """What is another function now, but for what preflight itself puts there late."""
    now = functions_now()
    for name, value in before.items():
        other = now.get(name)
        module = str(getattr(other, "__module__", ""))
        if other is value or module.startswith(("tbprof.preflight", "torch._dynamo")):
            continue
        code = getattr(other, "__code__", None)
        file = getattr(code, "co_filename", "")
        if file.startswith((TORCH, STANDARD_LIBRARY)) or (file and library_of(file)):
            continue
        source = f"{Path(file).name}:{code.co_firstlineno}" if code is not None and file else ""
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
