"""What many viewers cost: `python tests/bench/server.py`.

Prints the tables of `server.md`: a TensorBoard with tbprof asked by 200 viewers at once, route by route in
turn with TensorBoard's own `/data/runs`; by two viewers while 800 others never end their request; and its
list of 5,000 runs. Clients and server share the machine, so what counts are ratios within one run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "logs" / "samples"
TRACE = SAMPLES / "sam_amg_a100" / "amg_HEAD.json.gz"
SMALL_TRACE = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
OURS = "/data/plugin/tbprof/"
VIEWERS, SECONDS, HALF_OPEN, RUNS = 200, 4.0, 800, 5_000
PATIENCE_S = 120.0


@dataclass
class Board:
    pid: int
    port: int

    def get(self, path: str, **parameters: Any) -> bytes:
        query = "?" + urlencode(parameters) if parameters else ""
        with urlopen(f"http://127.0.0.1:{self.port}{path}{query}", timeout=PATIENCE_S) as answer:
            content: bytes = answer.read()
            return content

    @property
    def resident_mb(self) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


@dataclass
class Times:
    seconds: list[float]
    errors: int

    def ms(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> None:
    print(f"{date.today()}, Python {sys.version.split()[0]}, {os.cpu_count()} cores, ", end="")
    print(f"load {os.getloadavg()[0]:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(TRACE, folder)
        with board(Path(folder)) as server:
            place = ready(server)
            print_viewers(server, place)
            print_half_open(server, place)
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        with board(Path(folder)) as server:
            print_listing(server)


@contextlib.contextmanager
def board(logdir: Path) -> Iterator[Board]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "tbprof.plugin.viewer", str(logdir), str(port)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "XDG_CACHE_HOME": cache},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            server = Board(process.pid, port)
            until(lambda: bool(server.get("/data/runs")))
            yield server
        finally:
            process.terminate()
            process.wait()


def until(holds: Any) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if holds():
                return
        time.sleep(0.1)
    raise TimeoutError


def ready(server: Board) -> dict[str, str]:
    """The one window, when it and its timeline are read."""
    [run] = json.loads(server.get(f"{OURS}runs"))["runs"]
    [worker] = run["workers"]
    place = {"run": run["run"], "worker": worker["worker"], "window": worker["windows"][0]["window"]}
    for route in ("window", "timeline"):
        until(lambda route=route: json.loads(server.get(OURS + route, **place))["state"] == "ready")
    return place


def print_viewers(server: Board, place: dict[str, str]) -> None:
    query = urlencode(place)
    routes = {
        "window": f"window?{query}",
        "source": f"source?{query}",
        "ranks": f"ranks?{urlencode({'run': place['run']})}",
        "runs": "runs",
        "rule": "rule?code=SYN01",
        "timeline": f"timeline?{query}",
        "timeline_step": f"timeline_step?step=0&{query}",
        "index.js": "index.js",
    }
    before_mb = server.resident_mb
    print(f"{VIEWERS} viewers for {SECONDS:.0f} s each:\n")
    print("| route | requests | p50 ms | p95 ms | p99 ms | p95 of `/data/runs` just before | errors |")
    print("|---|---|---|---|---|---|---|")
    for name, path in routes.items():
        plain = crowd(server.port, "/data/runs", VIEWERS)
        times = crowd(server.port, OURS + path, VIEWERS)
        ratio = times.ms(0.95) / plain.ms(0.95)
        figures = f"{times.ms(0.5):.0f} | {times.ms(0.95):.0f} | {times.ms(0.99):.0f} | {ratio:.2f}"
        print(f"| `{name}` | {len(times.seconds)} | {figures} | {times.errors} |", flush=True)
    print(
        f"\nMemory of TensorBoard's process: {before_mb:.0f} MB before, {server.resident_mb:.0f} MB after.\n"
    )


def print_half_open(server: Board, place: dict[str, str]) -> None:
    path = f"{OURS}window?{urlencode(place)}"
    alone, before_mb = crowd(server.port, path, 2), server.resident_mb
    held = []
    for _ in range(HALF_OPEN):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        client.send(f"GET {path} HTTP/1.1\r\nHost: x\r\nX-a: ".encode())
        held.append(client)
    time.sleep(2)
    beside = crowd(server.port, path, 2)
    each_kb = (server.resident_mb - before_mb) * 1024 / len(held)
    for client in held:
        client.close()
    print(f"Two viewers of `window`, alone and beside {HALF_OPEN} requests that never end:\n")
    print("| | p50 ms | p95 ms | p99 ms | errors |\n|---|---|---|---|---|")
    for name, times in (("alone", alone), ("beside them", beside)):
        print(
            f"| {name} | {times.ms(0.5):.0f} | {times.ms(0.95):.0f} | {times.ms(0.99):.0f} | {times.errors} |"
        )
    print(f"\nEach of them takes {each_kb:.0f} kB.\n")


def fill(logdir: Path) -> None:
    """Runs of two windows each, with an event file each for TensorBoard to list."""
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    with tempfile.TemporaryDirectory() as one:
        EventFileWriter(one).close()
        events = next(Path(one).iterdir()).read_bytes()
    trace = SMALL_TRACE.read_bytes()
    for number in range(RUNS):
        run = logdir / f"group{number % 50}" / f"run{number}"
        run.mkdir(parents=True)
        (run / "events.out.tfevents.1.x").write_bytes(events)
        for window in range(2):
            (run / f"node_1.{1752215573993169006 + window}.trace.json.gz").write_bytes(trace)


def print_listing(server: Board) -> None:
    until(lambda: len(json.loads(server.get("/data/runs"))) == RUNS)
    server.get(f"{OURS}runs")
    # A look after the first one finds folders that have not changed.
    time.sleep(3)
    server.get(f"{OURS}runs")
    pages, page = 0, 0
    began = time.monotonic()
    while page is not None:
        page = json.loads(server.get(f"{OURS}runs", page=page))["next_page"]
        pages += 1
    all_s = time.monotonic() - began
    print(f"{RUNS:,} runs of two windows, 20 viewers for {SECONDS:.0f} s:\n")
    print("| | p50 ms | p95 ms | p99 ms | bytes | errors |\n|---|---|---|---|---|---|")
    for name, path in (("`/data/runs`", "/data/runs"), ("`runs`, first page", f"{OURS}runs")):
        times, size = crowd(server.port, path, 20), len(server.get(path))
        figures = f"{times.ms(0.5):.0f} | {times.ms(0.95):.0f} | {times.ms(0.99):.0f} | {size:,}"
        print(f"| {name} | {figures} | {times.errors} |", flush=True)
    print(f"\nAll {pages} pages, one after the other: {1000 * all_s:.0f} ms.")


def crowd(port: int, path: str, viewers: int) -> Times:
    return asyncio.run(_crowd(port, path, viewers))


async def _crowd(port: int, path: str, viewers: int) -> Times:
    times = Times([], 0)
    end = time.monotonic() + SECONDS

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


if __name__ == "__main__":
    main()
