"""A TensorBoard with tbprof as a process of its own, what it costs, and crowds of clients."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from tensorboard.summary.writer.event_file_writer import EventFileWriter

from tbprof.plugin.serving import Serving

OURS = "/data/plugin/tbprof/"
PATIENCE_S = 120.0
LONG_QUEUE = 1024
"""Connections that the system keeps until TensorBoard takes them. It asks for 128: of 200 viewers who come at
once, the system lets 70 try again a second later, whatever they ask for."""

_SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"
TRACE = _SAMPLES / "sam_amg_a100" / "amg_HEAD.json.gz"
SMALL_TRACE = _SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"

_SERVER = """
import sys
from tensorboard import default, main_lib, program
import werkzeug.serving
from tbprof.plugin.loader import TbprofLoader

logdir, port, with_tab, queue, memory, file = sys.argv[1:]
if int(memory):
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
if int(file):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(file), int(file)))
werkzeug.serving.BaseWSGIServer.request_queue_size = int(queue)
main_lib.global_init()
loaders = [*default.get_static_plugins(), *([TbprofLoader()] if with_tab == "True" else [])]
tensorboard = program.TensorBoard(plugins=loaders)
tensorboard.configure(argv=["tensorboard", "--logdir", logdir, "--port", port])
tensorboard.main()
"""


@dataclass
class Board:
    pid: int
    port: int
    began: float
    """`time.monotonic()` when it was started."""
    log: pathlib.Path

    def get(self, path: str, **parameters: Any) -> bytes:
        query = "?" + urlencode(parameters) if parameters else ""
        with urlopen(f"http://127.0.0.1:{self.port}{path}{query}", timeout=PATIENCE_S) as answer:
            content: bytes = answer.read()
            return content

    def answer(self, route: str, **parameters: Any) -> tuple[int, Any]:
        """Status and JSON of one of our routes."""
        try:
            return 200, json.loads(self.get(OURS + route, **parameters))
        except HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def places(self) -> list[dict[str, str]]:
        """Of all windows of the first page."""
        runs = self.answer("runs")[1]["runs"]
        return [
            {"run": run["run"], "worker": worker["worker"], "window": window["window"]}
            for run in runs
            for worker in run["workers"]
            for window in worker["windows"]
        ]

    def read(self, place: dict[str, str], *routes: str) -> str:
        """The state of a window once it is no longer read, by each of these routes."""
        for route in routes or ("window",):
            until(partial(self._is_read, route, place))
        state: str = self.answer(route, **place)[1]["state"]
        return state

    def _is_read(self, route: str, place: dict[str, str]) -> bool:
        return bool(self.answer(route, **place)[1].get("state", "reading") != "reading")

    @property
    def resident_mb(self) -> float:
        return _resident_mb(self.pid)

    @property
    def cpu_s(self) -> float:
        """Of its processes: TensorBoard reads event files in another one."""
        return sum(map(_cpu_s, (self.pid, *self.children())))

    @property
    def threads(self) -> int:
        return len(list(pathlib.Path(f"/proc/{self.pid}/task").iterdir()))

    def children(self, module: str = "") -> dict[int, str]:
        """The processes that it started, those of a module or all, with what they run."""
        found = {}
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                for pid in map(int, (task / "children").read_text(encoding="ascii").split()):
                    found[pid] = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        return {pid: line for pid, line in found.items() if module in line}


@contextlib.contextmanager
def board(
    logdir: pathlib.Path,
    *,
    with_tab: bool = True,
    queue: int = 128,
    memory_bytes: int = 0,
    file_bytes: int = 0,
    user: int | None = None,
    python: str = sys.executable,
    **environment: str | None,
) -> Iterator[Board]:
    """TensorBoard with its own plugins and ours, or without ours, to compare.

    Args:
        logdir: What it shows.
        with_tab: Whether with ours.
        queue: Connections that the system keeps for it.
        memory_bytes: What each of its processes may have at most; 0 for no limit.
        file_bytes: How large the files that it writes may be; its log is one of them.
        user: The number of the one who runs it, where that is not who runs the tests.
        python: The interpreter that runs it.
        environment: Variables that are other for it; None of those that it lacks. It has a cache of its own.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as cache, open(f"{cache}/log", "wb") as log:  # noqa: PTH123
        started = (logdir, port, with_tab, queue, memory_bytes, file_bytes)
        command = [python, "-c", _SERVER, *map(str, started)]
        others: dict[str, Any] = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        process = subprocess.Popen(
            command,
            env=changed({"XDG_CACHE_HOME": f"{cache}/cache", **environment}),
            stdout=log,
            stderr=log,
            **others,
        )
        try:
            server = Board(process.pid, port, time.monotonic(), pathlib.Path(cache, "log"))
            until(lambda: bool(server.get("/data/runs")))
            yield server
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()


def changed(environment: Mapping[str, str | None]) -> dict[str, str]:
    """The environment of the tests with these variables, and without those that are None."""
    return {name: value for name, value in {**os.environ, **environment}.items() if value is not None}


def all_routes() -> list[str]:
    """All that the plugin answers to but its code."""
    routes = Serving(argparse.Namespace(logdir="", logdir_spec="")).applications
    return [route for route in routes if not route.startswith(("index", "assets"))]


def until(holds: Callable[[], bool], *, every_s: float = 0.1) -> None:
    """Wait.

    Raises:
        TimeoutError: It never held.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if holds():
                return
        time.sleep(every_s)
    raise TimeoutError


def put_runs(logdir: pathlib.Path, runs: int) -> None:
    """Runs of two windows each, with an event file each for TensorBoard to list."""
    with tempfile.TemporaryDirectory() as one:
        EventFileWriter(one).close()
        events = next(pathlib.Path(one).iterdir()).read_bytes()
    trace = SMALL_TRACE.read_bytes()
    for number in range(runs):
        run = logdir / f"group{number % 50}" / f"run{number}"
        run.mkdir(parents=True)
        (run / "events.out.tfevents.1.x").write_bytes(events)
        for window in range(2):
            (run / f"node_1.{1752215573993169006 + window}.trace.json.gz").write_bytes(trace)


@dataclass
class Times:
    seconds: list[float]
    errors: int

    def ms(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def crowd(port: int, path: str, viewers: int, seconds: float = 4.0) -> Times:
    """So many clients who each ask again as soon as they are answered."""
    return in_a_loop_of_its_own(_crowd(port, path, viewers, seconds))


def in_a_loop_of_its_own(asked: Coroutine[Any, Any, Times]) -> Times:
    """In a thread: that of the tests has a running loop where an earlier test drove a browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asked).result()


async def _crowd(port: int, path: str, viewers: int, seconds: float) -> Times:
    times = Times([], 0)
    end = time.monotonic() + seconds

    async def view() -> None:
        while time.monotonic() < end:
            began = time.monotonic()
            try:
                status = await asyncio.wait_for(_status(port, path), PATIENCE_S)
            except (OSError, TimeoutError, asyncio.TimeoutError):
                status = 0
            times.errors += status != 200
            times.seconds.append(time.monotonic() - began)

    await asyncio.gather(*(view() for _ in range(viewers)))
    return times


async def _status(port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()
    answer = await reader.read(-1)
    writer.close()
    return int(answer.split(b" ", 2)[1]) if answer else 0


def _cpu_s(pid: int) -> float:
    parts = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
