"""Processes that take turns: one runs while all others are stopped."""

from __future__ import annotations

import dataclasses
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from tbprof.errors import UsageError
from tbprof.experiment.messages import Block, Order, SideTask
from tbprof.preflight.proof.running import ended_with_its_children

_LOOK_SECONDS = 0.2


class SideEnded(UsageError):
    """A side can't go on, with what it said last."""


class Player:
    """A side in a process of its own."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], said: Path, time_limit: float) -> None:
        self.name = name
        self.taken = 0
        self.has_ended = False
        self.first: Block
        self.waits: list[float] = []
        """How much longer each block took by the experiment's clock than by the side's own, as a share."""
        self._process, self._said, self._time_limit = process, said, time_limit
        self._connection: socket.socket
        self._heard = b""

    def greet(self, server: socket.socket, key: str) -> None:
        """Take its first step with it: all that comes before is its cold start.

        Raises:
            SideEnded: It took none.
        """
        server.settimeout(_LOOK_SECONDS)
        deadline = time.monotonic() + self._time_limit
        while True:
            with suppress(TimeoutError):
                self._connection = server.accept()[0]
                self._connection.settimeout(_LOOK_SECONDS)
                if self._next_line(deadline) == msgspec.json.encode(key):
                    break
            self._check(deadline)
        self.first = self._block(deadline)
        if self.first.has_ended and not self.first.wall_ns:
            raise SideEnded(f"{self.name} took no step: --step-on names what ends one, if no optimizer does")

    def play(self, order: Order) -> Block:
        """Have it take its turn.

        Raises:
            SideEnded: It crashed, or did not come to the end of the block.
        """
        self._signal("SIGCONT")
        begun = time.perf_counter()
        with suppress(ConnectionError):
            # One that is gone says nothing, which is noticed where its answer is awaited.
            self._connection.sendall(msgspec.json.encode(order) + b"\n")
        block = self._block(time.monotonic() + self._time_limit)
        if not order.trace:
            self.waits.append((time.perf_counter() - begun) / max(block.total_ns / 1e9, 1e-9) - 1)
        return block

    def _block(self, deadline: float) -> Block:
        block = msgspec.json.decode(self._next_line(deadline), type=Block)
        self._signal("SIGSTOP")
        self.taken += len(block.wall_ns)
        self.has_ended = block.has_ended
        return block

    def _next_line(self, deadline: float) -> bytes:
        while b"\n" not in self._heard:
            is_over = self._process.poll() is not None
            with suppress(TimeoutError, ConnectionResetError):
                heard = self._connection.recv(1 << 20)
                self._heard += heard
                if not heard:
                    with suppress(subprocess.TimeoutExpired):
                        self._process.wait(_LOOK_SECONDS)
                    is_over = True
            if b"\n" not in self._heard:
                self._check(deadline, is_over=is_over)
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def _check(self, deadline: float, *, is_over: bool = False) -> None:
        code = self._process.poll()
        if is_over or code is not None:
            by = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            raise SideEnded(f"{self.name} ended by {by} {self._when()}: {self._last_words()}")
        if time.monotonic() > deadline:
            raise SideEnded(
                f"{self.name} did not come to the end of its turn within {self._time_limit:g} s, "
                f"{self._when()}; --time-limit sets another"
            )

    def _when(self) -> str:
        # A turn that was not ended is not counted.
        return f"after {self.taken} steps or more" if self.taken else "in its first step"

    def _last_words(self) -> str:
        lines = self._said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def _signal(self, name: str) -> None:
        """To the whole group: workers that fetch batches would go on while others are measured."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, getattr(signal, name))


@contextmanager
def player(name: str, task: SideTask, folder: Path, time_limit: float) -> Iterator[Player]:
    """A process that has taken its first step, and is gone after the block.

    Args:
        name: What it is called.
        task: What it runs; its port and key are set here.
        folder: Takes its temporary files and what it prints.
        time_limit: Seconds until its first step, and for each block.
    """
    temporary = folder / f"player{len(list(folder.glob('player*')))}"
    temporary.mkdir()
    said, key = temporary / "said", secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", 0)) as server, said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tbprof.experiment.one_side"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            cwd=temporary,
            env=_environment(temporary),
            start_new_session=True,
        )
        with ended_with_its_children(process, temporary):
            asked = dataclasses.replace(task, port=server.getsockname()[1], key=key)
            assert process.stdin is not None
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(msgspec.json.encode(asked))
            made = Player(name, process, said, time_limit)
            made.greet(server, key)
            yield made


def _environment(temporary: Path) -> dict[str, str]:
    """The user's own, with what makes two processes alike."""
    own = str(Path(__file__).parents[2])
    paths = [own, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    same = {"PYTHONHASHSEED": "0", "TMPDIR": str(temporary), "TEMP": str(temporary)}
    return {**os.environ, **same, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
