"""What is no file in the place of one: pipes, sockets, devices, folders and links hold nobody up."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from board import SMALL_TRACE, Board, all_routes, board

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="what a process costs is looked up in /proc"),
]

STAMP = 1752215573993169006
ENDINGS = ("tbprof.pb", "pt.trace.json", "trace.json.gz", "snapshot.pickle")


def a_socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listening:
        # The names of sockets are short: whatever the folder is called.
        listening.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def a_device(path: Path) -> None:
    os.mknod(path, 0o644 | stat.S_IFCHR, os.makedev(1, 5))


MADE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": a_socket,
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "itself": lambda path: path.symlink_to(path.name),
    "folder": Path.mkdir,
    **({"device": a_device} if os.geteuid() == 0 else {}),
}


def put_all(run: Path, *, is_file: bool) -> list[Path]:
    """One of each kind in the place of each kind of file; files at first, where they are swapped later."""
    paths = []
    for kind, made in MADE.items():
        for at, ending in enumerate(ENDINGS):
            path = run / f"{kind}.{STAMP + at}.{ending}"
            paths.append(path)
            path.write_bytes(b"x") if is_file else made(path)
    return paths


def slowest_answer(server: Board, paths: list[Path]) -> tuple[float, str]:
    """Seconds and what was asked; no answer may be a fault."""
    slowest = (0.0, "")
    for path in paths:
        kind = path.name.partition(".")[0]
        place = {"run": path.parent.name, "worker": kind, "window": path.name}
        before = {f"before_{name}": value for name, value in place.items()}
        for route in all_routes():
            if route == "fleet.csv":
                continue
            began = time.monotonic()
            status, answer = server.answer(route, **place, **before, finding=0, step=0)
            slowest = max(slowest, (time.monotonic() - began, f"{route} of {path.name}"))
            assert status in (200, 400, 404, 503), (route, path.name, answer)
            assert "fault of tbprof" not in str(answer), (route, path.name, answer)
    return slowest


@pytest.mark.parametrize("is_swapped", [False, True], ids=["from the start", "swapped after it was listed"])
def test_what_is_no_file_costs_no_route_two_seconds_and_the_server_no_memory(
    tmp_path: Path, is_swapped: bool
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    shutil.copy(SMALL_TRACE, run / f"good.{STAMP}.trace.json.gz")
    paths = put_all(run, is_file=is_swapped)
    good = {"run": "run", "worker": "good", "window": f"good.{STAMP}.trace.json.gz"}
    with board(tmp_path) as server:
        assert good in server.places()
        # Each process that reads has its threads here.
        assert server.read(good, "window", "timeline") == "ready"
        assert server.answer("fleet")[0] == 200
        before_mb, threads = server.resident_mb, server.threads
        if is_swapped:
            for path in paths:
                path.unlink()
                MADE[path.name.partition(".")[0]](path)
        slowest_s, asked = slowest_answer(server, paths)
        print("slowest", round(slowest_s, 2), asked, "grew_mb", round(server.resident_mb - before_mb, 1))
        assert slowest_s < 10, asked
        assert server.resident_mb - before_mb < 64
        assert server.threads <= threads + 2
        assert server.read(good) == "ready"
        assert "Traceback" not in server.log.read_text(errors="replace")
