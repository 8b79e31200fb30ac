"""What the experiment and a side of it say to each other: one line of JSON each."""

from __future__ import annotations

import socket

import msgspec

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class SideTask:
    """What a process is asked to run."""

    port: int
    key: str
    """Its first words, so that nobody else takes part."""
    program: str
    """A script or module; "" where there are callables."""
    arguments: tuple[str, ...] = ()
    is_module: bool = False
    step_on: str | None = None
    callables: tuple[str, ...] = ()
    """Both sides as `module:callable`, which one process calls in turns."""
    root: str = ""
    original: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    steps: int
    trace: str = ""
    """The file that takes these steps as a window of torch's profiler."""
    side: int = 0
    """The callable of the two."""
    is_seeded: bool = False
    """Whether callables start from the same random numbers, and their results are kept."""
    delay_ns: int = 0
    """How long to wait before the line, each time."""


@dataclass(frozen=True, slots=True)
class Block:
    """Steps that were taken in one turn."""

    wall_ns: tuple[int, ...]
    """Each from one end of a step to the next, on the host."""
    cpu_ns: int
    """What all threads of the process took in all steps."""
    total_ns: int
    """Until every device had done its work."""
    device_ns: tuple[float, ...] = ()
    """The steps by events of the device; the first, which follows a pause, is left out."""
    peak_bytes: int = 0
    has_ended: bool = False
    """The program came to its end before it had taken all steps."""
    outside: tuple[str, ...] = ()
    """Modules that were imported from the folder that the side was made from."""
    touched: tuple[str, ...] = ()
    """Timers that the program has replaced."""
    reached: int = 0
    """How often the line of `delays` was."""
    waited_ns: int = 0
    line_ns: int = 0
    """How long its statement took in all, without what was put before it."""
    values: str = ""
    """What the side computed, so far as it is known: equal words, equal values."""

    @property
    def step_ns(self) -> float:
        return self.total_ns / max(len(self.wall_ns), 1)


class Connection:
    """One end of the connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._file = connection.makefile("rb")

    def send(self, message: Order | Block | str) -> None:
        self._connection.sendall(msgspec.json.encode(message) + b"\n")

    def receive(self) -> bytes:
        """The next line; empty where the other end is gone."""
        return self._file.readline()
