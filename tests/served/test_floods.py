"""Much of what is cheap to send or to make: folders, odd names, questions nobody asked before, resets."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from board import OURS, SMALL_TRACE, TRACE, Board, board, crowd

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="what a process costs is looked up in /proc"),
]

FOLDERS = 100_000
EACH = 400
NAMES = (
    *("run\u202egpj", "zero\u200bwidth", "a\u2066b", "\ufeffmark", "e\u0301", "\u00e9", "\U0001f980" * 60),
    *("tab\there", "escape\x1b[31m", "line\nbreak", "\x7f", " before", "behind ", "%2e%2e", "x..", "-rf"),
    *("<img src=x onerror=alert(1)>", "'\"; drop", "?run=x#y&z", "a\\b", "=1+1", "@SUM(1)", "con", "a" * 250),
)


def test_100000_folders_without_a_trace_hold_nobody_up(tmp_path: Path) -> None:
    shutil.copy(TRACE, tmp_path)
    for number in range(FOLDERS):
        (tmp_path / f"group{number % 100}" / f"run{number}").mkdir(parents=True)
    with board(tmp_path, queue=1024) as server:
        before_mb = server.resident_mb
        server.get(f"{OURS}runs")
        time.sleep(3)
        ours, plain = (crowd(server.port, path, 20) for path in (f"{OURS}runs", "/data/runs"))
        print("p95_of_tensorboards", round(ours.ms(0.95) / plain.ms(0.95), 2))
        print("grew_mb", round(server.resident_mb - before_mb))
        assert ours.errors == 0
        assert ours.ms(0.95) < 2 * plain.ms(0.95)
        # About a kB for each, so that nothing is listed again that has not changed.
        assert server.resident_mb - before_mb < 150


def test_a_run_of_any_name_is_found_by_it(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).mkdir()
        shutil.copy(SMALL_TRACE, tmp_path / name / "w.trace.json.gz")
    for target, link in ((".", "loop"), ("../..", f"{NAMES[0]}/up"), ("self", "self")):
        (tmp_path / link).symlink_to(target)
    with board(tmp_path) as server:
        places = server.places()
        assert sorted(place["run"] for place in places) == sorted(NAMES)
        for place in places:
            assert server.read(place) == "ready", place
        table = server.get(f"{OURS}fleet.csv").decode()
        assert not [line for line in table.splitlines() if line.startswith(("=", "@", "-"))]
        assert "Traceback" not in server.log.read_text(errors="replace")


def forms() -> dict[str, tuple[str, str, Callable[[int], str]]]:
    """Route, parameter, and a value that no answer is kept of yet."""
    return {
        "find": ("timeline_find", "text", lambda number: f"x{number}" + "y" * 3000),
        "selection": ("timeline_selection", "start", str),
        "tile": ("timeline_tile", "number", str),
        "table": ("table", "by", lambda number: f"n{number}"),
        "fleet": ("fleet", "search", lambda number: f"s{number}" + "z" * 3000),
        "nobody's": ("window", "junk", lambda number: f"j{number}" * 500),
        "rule": ("rule", "code", lambda number: f"R{number}"),
    }


def test_questions_that_nobody_asked_before_take_no_memory_and_no_thread(tmp_path: Path) -> None:
    shutil.copy(TRACE, tmp_path)
    with board(tmp_path, queue=1024) as server:
        [place] = server.places()
        assert server.read(place, "window", "timeline") == "ready"
        before_mb = server.resident_mb
        for route, name, value in forms().values():
            for number in range(EACH):
                assert server.answer(route, **{**place, name: value(number)})[0] in (200, 400, 404, 503)
        print("grew_mb", round(server.resident_mb - before_mb, 1))
        assert server.resident_mb - before_mb < 40
        assert server.threads < 50
        assert "Traceback" not in server.log.read_text(errors="replace")


def test_tags_by_the_thousand_and_who_hangs_up_at_once_harm_nobody(tmp_path: Path) -> None:
    shutil.copy(SMALL_TRACE, tmp_path)
    with board(tmp_path, queue=1024) as server:
        [place] = server.places()
        assert server.read(place) == "ready"
        line = f"GET {OURS}window?{urlencode(place)} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        tags = ",".join(f'"{number:x}"' for number in range(8000))
        flooded(server, f"{line}If-None-Match: {tags}\r\n\r\n".encode(), hangs_up=False)
        before_mb = server.resident_mb
        flooded(server, f"{line}If-None-Match: {tags}\r\n\r\n".encode(), hangs_up=False)
        flooded(server, f"{line}\r\n".encode(), hangs_up=True)
        print("grew_mb", round(server.resident_mb - before_mb, 1))
        assert server.resident_mb - before_mb < 20
        assert server.answer("window", **place)[0] == 200
        assert f"tbprof{os.sep}" not in server.log.read_text(errors="replace")


def flooded(server: Board, request: bytes, *, hangs_up: bool) -> None:
    """One after the other; who hangs up does so before the answer comes."""
    for _ in range(EACH):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            client.sendall(request)
            if hangs_up:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                continue
            answer = b""
            while part := client.recv(65536):
                answer += part
            assert answer.startswith(b"HTTP/1.1 200"), answer[:100]
