"""What many viewers cost: `python tests/bench/server.py`.

Prints the tables of `server.md`: a TensorBoard with tbprof asked by 200 viewers at once, route by route in
turn with TensorBoard's own `/data/runs`; by two viewers while 800 others never end their request; and its
list of 5,000 runs. There are two tables of viewers: TensorBoard closes each connection, and has the system
keep 128, so of 200 that come at once 70 try again a second later; with a longer queue they show what answers
take. Clients and server share the machine, so what counts are ratios within one run.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import socket
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

from board import (
    LONG_QUEUE,
    OURS,
    TRACE,
    Board,
    board,
    crowd,
    put_runs,
    until,
)

VIEWERS, SECONDS, HALF_OPEN, RUNS = 200, 4.0, 800, 5_000


def main() -> None:
    print(f"{date.today()}, Python {sys.version.split()[0]}, {os.cpu_count()} cores, ", end="")
    print(f"load {os.getloadavg()[0]:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(TRACE, folder)
        with board(Path(folder)) as server:
            place = ready(server)
            print_viewers(server, place)
            print_half_open(server, place)
        with board(Path(folder), queue=LONG_QUEUE) as server:
            print(f"With a queue of {LONG_QUEUE:,} connections in place of TensorBoard's 128:\n")
            print_viewers(server, ready(server))
    with tempfile.TemporaryDirectory() as folder:
        put_runs(Path(folder), RUNS)
        with board(Path(folder)) as server:
            print_listing(server)


def ready(server: Board) -> dict[str, str]:
    """The one window, when it and its timeline are read."""
    place: dict[str, str]
    [place] = server.places()
    server.read(place, "window", "timeline")
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


def print_listing(server: Board) -> None:
    until(lambda: len(json.loads(server.get("/data/runs"))) == RUNS)
    server.get(f"{OURS}runs")
    # A look after the first one finds folders that have not changed.
    time.sleep(3)
    server.get(f"{OURS}runs")
    pages = 0
    page: int | None = 0
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


if __name__ == "__main__":
    main()
