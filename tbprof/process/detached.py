"""A Python process that is nobody's child, so that the program which starts it never meets it.

A training may call `os.wait()`, count its children or handle SIGCHLD: what it hears must be of its own
processes. Any process between that starts the one that is wanted, and ends at once, would still be met by a
thread that waits at that moment. So on Linux what stands between is cloned with no signal for its end: the
kernel hides such a child from each `wait` that does not ask for it with `__WALL`, and sends nothing. It runs
one function of the C library, `system`, while the thread that asks stands still, as `posix_spawn` has it:
nothing is copied, no lock of another thread is held for ever, and no Python runs in it. The shell puts the
process into the background and ends, within milliseconds; init takes the process over.

Elsewhere the shell is a child for that moment. Without a shell, and on Windows, where a program can wait for
processes alone that it has started itself, the process is a child.

A program that is process 1 of its container is given every orphan there, this one as well.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from tbprof.process.isolated import environment, python_command, start_python

CODE_MARK = b"code "
"""Starts the line in which the process says its exit code, when it ends by itself."""

_PID_MARK = b"pid "
_SHELL = "/bin/sh"
_STARTER = "tbprof.process.beside"
_CLONE_VM, _CLONE_VFORK, _WALL = 0x100, 0x4000, 0x40000000
_STACK_BYTES = 256 * 1024
_ALIGNED = 64
_BETWEEN_LOOKS_S = 0.05
_SHUT = -1


class Detached(ABC):
    """The process that was started; asked by the thread that has started it."""

    pid: int | None
    """None where the system doesn't say."""
    exit_code: int | None = None
    """None as long as it runs, and of one that was ended from outside."""

    @abstractmethod
    def has_ended(self) -> bool:
        """Whether it has, without waiting."""

    @abstractmethod
    def wait(self, wait_s: float) -> bool:
        """Whether it has ended, after so many seconds at most."""

    @abstractmethod
    def kill(self) -> None:
        """End it, with what it has started."""

    @abstractmethod
    def leave(self) -> None:
        """Ask no more; it goes on."""


def start_detached(
    module: str,
    arguments: Sequence[str] = (),
    *,
    folder: Path,
    output: Path = Path(os.devnull),
    variables: Mapping[str, str] = MappingProxyType({}),
    held: Sequence[int] = (),
) -> Detached:
    """Start `python -m module arguments...` at the lowest priority, in a session of its own.

    Args:
        module: of tbprof.
        arguments: its own.
        folder: where it works.
        output: a file of our own, to which all that it says is added.
        variables: of its environment, besides those of `start_python`.
        held: descriptors that it keeps open, on systems that can hand them down.

    Raises:
        OSError: The system can't start a process now, or this program is no Python.
    """
    if os.name == "nt" or not os.access(_SHELL, os.X_OK):
        return _Child(module, arguments, folder, output, variables)
    return _Orphan(module, arguments, folder, output, variables, held)


class _Orphan(Detached):
    """Heard of by a pipe, which the process holds open while it runs."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        folder: Path,
        output: Path,
        variables: Mapping[str, str],
        held: Sequence[int],
    ) -> None:
        self.pid = None
        self._heard = b""
        self._is_over = False
        self._pipe, write_end = os.pipe()
        os.set_blocking(self._pipe, False)
        self._pipe_id = _identity(self._pipe)
        try:
            with contextlib.closing(_Inherited([write_end, *held])) as inherited:
                os.close(write_end)
                pipe = inherited.numbers[0]
                kept = ",".join(map(str, inherited.numbers))
                command = python_command(_STARTER, [kept, module, *arguments])
                _run_in_shell(_script(command, folder, output, variables, pipe), inherited.numbers)
            if self.has_ended() and self.pid is None:
                raise OSError(f"{_SHELL} could not start a process now")
        except BaseException:
            self.leave()
            raise

    def has_ended(self) -> bool:
        if self._is_over:
            return True
        if not self._is_pipe_ours():
            # A program that closes all files has closed this one, and may have another of its number.
            self._is_over = self.pid is None or not _exists(self.pid)
            return self._is_over
        if self._hears_the_end():
            self._is_over = True
            self.leave()
            self._bury()
        return self._is_over

    def wait(self, wait_s: float) -> bool:
        deadline = time.monotonic() + wait_s
        while not self.has_ended():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return False
            if self._is_pipe_ours():
                poll = select.poll()
                poll.register(self._pipe, select.POLLIN)
                poll.poll(left_s * 1000)
            else:
                time.sleep(min(left_s, _BETWEEN_LOOKS_S))
        return True

    def kill(self) -> None:
        # It leads a session, unless it is only beginning.
        for end in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                if self.pid is not None and not self.has_ended():
                    end(self.pid, signal.SIGKILL)

    def leave(self) -> None:
        if self._is_pipe_ours():
            os.close(self._pipe)
        self._pipe = _SHUT

    def _hears_the_end(self) -> bool:
        is_shut = False
        with contextlib.suppress(BlockingIOError):
            while output := os.read(self._pipe, 1024):
                self._heard += output
            is_shut = True
        for line in self._heard.splitlines():
            if line.startswith(_PID_MARK):
                self.pid = int(line.removeprefix(_PID_MARK))
            elif line.startswith(CODE_MARK):
                self.exit_code = int(line.removeprefix(CODE_MARK))
        return is_shut or self.exit_code is not None

    def _bury(self) -> None:
        """End what is left of all orphans, which are given to us as process 1."""
        if os.getpid() == 1 and self.pid is not None:
            with contextlib.suppress(OSError):
                os.waitpid(self.pid, os.WNOHANG)

    def _is_pipe_ours(self) -> bool:
        return self._pipe != _SHUT and _identity(self._pipe) == self._pipe_id


class _Child(Detached):
    """Where there is no other way; on Windows, no program waits for a child that it has not started."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        folder: Path,
        output: Path,
        variables: Mapping[str, str],
    ) -> None:
        with output.open("ab", buffering=0) as log:
            self._process = start_python(
                module,
                arguments,
                folder=folder,
                variables=variables,
                stdout=log.fileno(),
                stderr=log.fileno(),
                start_new_session=True,
                is_idle=True,
            )
        self.pid = self._process.pid

    def has_ended(self) -> bool:
        self.exit_code = self._process.poll()
        return self.exit_code is not None

    def wait(self, wait_s: float) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(wait_s)
        return self.has_ended()

    def kill(self) -> None:
        self._process.kill()

    def leave(self) -> None:
        # Else Popen would warn that a child outlives it, which is meant here.
        self._process.returncode = self._process.returncode or 0


class _Inherited:
    """Copies of descriptors that a process started meanwhile has as well."""

    def __init__(self, descriptors: Sequence[int]) -> None:
        self.numbers: list[int] = []
        for descriptor in descriptors:
            # A program that closes all files has closed them.
            with contextlib.suppress(OSError):
                self.numbers.append(os.dup(descriptor))
                os.set_inheritable(self.numbers[-1], True)

    def close(self) -> None:
        for number in self.numbers:
            os.close(number)


def _script(
    command: Sequence[str], folder: Path, output: Path, variables: Mapping[str, str], pipe: int
) -> bytes:
    """For the shell: start the command in the background, and say its number."""
    wanted = {**environment(), **variables}
    dropped = [name for name in os.environ if name not in wanted]
    changed = {name: value for name, value in wanted.items() if os.environ.get(name) != value}
    lines = [
        *([shlex.join(["unset", *dropped])] if dropped else []),
        *(f"export {name}={shlex.quote(value)}" for name, value in changed.items()),
        f"cd {shlex.quote(str(folder))} && exec {shlex.join(command)}",
    ]
    inner = "\n".join(lines)
    descriptors = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    return os.fsencode(
        f"exec 2>/dev/null\n{{\n{inner}\n}} </dev/null >>{shlex.quote(str(output))} 2>&1 &\n"
        f'echo "{_PID_MARK.decode()}$!" >{descriptors}/{pipe}\n'
    )


def _run_in_shell(script: bytes, inherited: Sequence[int]) -> None:
    """Run a script that ends at once."""
    if sys.platform == "linux" and not _is_in_system() and _run_unseen(script):
        return
    shell = subprocess.Popen([_SHELL, "-c", os.fsdecode(script)], pass_fds=inherited)
    shell.wait()


def _is_in_system() -> bool:
    """Whether a thread of the program may be in `os.system` now, which ignores two signals meanwhile.

    Where ours began after it and ended later, that would stay so: the C library counts its calls in memory
    that both processes have, and the last one to end takes back what was done to the signals of the first.
    """
    with contextlib.suppress(OSError, ValueError):
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        ignored = int(status.partition("SigIgn:")[2].split(maxsplit=1)[0], 16)
        return any(
            ignored >> (number - 1) & 1 and signal.getsignal(number) is not signal.SIG_IGN
            for number in (signal.SIGINT, signal.SIGQUIT)
        )
    return True


def _run_unseen(script: bytes) -> bool:
    """Whether the system could: see at the top."""
    import ctypes
    import mmap

    try:
        library = ctypes.CDLL(None)
        clone, function = library.clone, ctypes.cast(library.system, ctypes.c_void_p)
    except (OSError, AttributeError):
        return False
    clone.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
    # Not closed but dropped: what a handler raises here would come out as an error of closing what is in use.
    bottom = ctypes.c_char.from_buffer(mmap.mmap(-1, _STACK_BYTES))
    top = (ctypes.addressof(bottom) + _STACK_BYTES) // _ALIGNED * _ALIGNED
    # A handler would run twice, in the memory that both have.
    with _no_signals():
        between = clone(function, top, _CLONE_VM | _CLONE_VFORK, script)
        if between > 0:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(between, _WALL)
    return bool(between > 0)


@contextmanager
def _no_signals() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
