"""Traces that many ask for at once, and processes that die, hang or lack memory, as TensorBoard has them."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from board import SMALL_TRACE, TRACE, Board, board, until

from tbprof.plugin.worker.traces import deadline_s

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc"),
]

READER = "plugin.worker.main"
TILE = Path(__file__).parents[1] / "bench" / "tile_trace.py"


def put_traces(folder: Path, count: int, trace: Path = SMALL_TRACE) -> list[dict[str, str]]:
    names = [f"w{number:04d}.trace.json.gz" for number in range(count)]
    for name in names:
        shutil.copy(trace, folder / name)
    return [{"run": ".", "worker": name.partition(".")[0], "window": name} for name in names]


def put_large(folder: Path, count: int) -> list[dict[str, str]]:
    """Of 50 MB each, unpacked, and no two the same."""
    tiled = folder / "tiled.json"
    subprocess.run([sys.executable, str(TILE), str(TRACE), "8", str(tiled)], check=True)
    before, opening, rest = tiled.read_bytes().partition(b"{")
    tiled.unlink()
    names = [f"large{number:02d}.trace.json.gz" for number in range(count)]
    for number, name in enumerate(names):
        with gzip.open(folder / name, "wb", 1) as file:
            file.write(before + opening + b'"number": %d, ' % number + rest)
    return [{"run": ".", "worker": name.partition(".")[0], "window": name} for name in names]


def seconds_to_read(server: Board, place: dict[str, str]) -> float:
    began = time.monotonic()
    assert server.read(place) == "ready"
    return time.monotonic() - began


def states(server: Board, places: list[dict[str, str]]) -> Counter[str]:
    answers = [server.answer("window", **place) for place in places]
    return Counter(answer.get("state", str(status)) for status, answer in answers)


def test_500_traces_asked_for_at_once_are_read_by_two_processes_and_all_in_the_end(tmp_path: Path) -> None:
    places = put_traces(tmp_path, 500)
    with board(tmp_path, queue=1024) as server:
        server.places()
        before_mb, answered = server.resident_mb, list[int]()

        def ask(place: dict[str, str]) -> None:
            answered.append(server.answer("window", **place)[0])

        threads = [threading.Thread(target=ask, args=(place,)) for place in places]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("first answers", Counter(answered))
        assert set(answered) <= {200, 503}
        assert len(answered) == 500
        assert len(server.children(READER)) <= 2
        for place in places:
            assert server.read(place) == "ready"
        assert server.resident_mb - before_mb < 100


def test_30_users_of_30_large_traces_all_see_theirs_and_a_small_one_waits_for_none(tmp_path: Path) -> None:
    big, small = put_large(tmp_path, 30), put_traces(tmp_path, 8)
    with board(tmp_path, queue=1024) as server:
        server.places()
        alone_s = [seconds_to_read(server, place) for place in small[:2]]
        taken: list[float] = []

        def look(place: dict[str, str]) -> None:
            taken.append(seconds_to_read(server, place))

        users = [threading.Thread(target=look, args=(place,)) for place in big]
        for user in users:
            user.start()
        beside_s = []
        for place in small[2:]:
            time.sleep(1.0)
            beside_s.append(seconds_to_read(server, place))
        for user in users:
            user.join()
        print(f"small {alone_s[0]:.2f} s, {alone_s[1]:.2f} s, beside", *(f"{one:.2f}" for one in beside_s))
        print(f"large {min(taken):.1f} to {max(taken):.1f} s")
        assert len(taken) == 30
        # The first of each kind waits for its process to start.
        assert median(beside_s) < 2 * alone_s[0]
        assert min(taken) < deadline_s((tmp_path / big[0]["window"]).stat().st_size)


def test_a_full_queue_says_when_to_come_back(tmp_path: Path) -> None:
    places = put_traces(tmp_path, 100, TRACE)
    with board(tmp_path, queue=1024) as server:
        server.places()
        statuses = Counter(server.answer("window", **place)[0] for place in places)
        assert set(statuses) == {200, 503}


def test_processes_that_are_killed_again_and_again_cost_nothing_in_the_end(tmp_path: Path) -> None:
    places, chance = put_traces(tmp_path, 30), random.Random(3)
    with board(tmp_path) as server:
        server.places()
        kills = 0
        for _ in range(25):
            states(server, places)
            time.sleep(chance.uniform(0, 0.5))
            for pid in server.children(READER):
                os.kill(pid, signal.SIGKILL)
                kills += 1
        assert kills >= 5
        until(lambda: states(server, places) == Counter(ready=30), every_s=1.0)
        assert all(server.children().values()), "one that ended was left"


def test_a_process_that_hangs_holds_up_its_own_trace_only(tmp_path: Path) -> None:
    places = put_traces(tmp_path, 12)
    with board(tmp_path) as server:
        server.places()
        server.answer("window", **places[0])
        until(lambda: len(server.children(READER)) > 0, every_s=0.01)
        [hung] = server.children(READER)
        os.kill(hung, signal.SIGSTOP)
        for place in places[1:]:
            assert server.read(place) == "ready"
        # Its deadline is a minute.
        until(lambda: server.answer("window", **places[0])[1]["state"] != "reading")
        assert hung not in server.children()


def test_a_run_of_512_broken_ranks_is_not_read_for_ever(tmp_path: Path) -> None:
    for number in range(512):
        (tmp_path / f"w{number:04d}.trace.json").write_text("not json " * (number + 1), encoding="utf-8")
    with board(tmp_path) as server:
        server.places()

        def rows() -> Counter[str]:
            status, answer = server.answer("ranks", run=".")
            assert status == 200
            return Counter(row["state"] for row in answer["rows"])

        until(lambda: rows()["reading"] == 0, every_s=1.0)
        assert set(rows()) == {"broken"}
        before = server.cpu_s
        time.sleep(2)
        assert server.cpu_s - before < 0.5


def test_whoever_asks_long_questions_stops_nobodys_timeline(tmp_path: Path) -> None:
    shutil.copy(TRACE, tmp_path)
    with board(tmp_path, queue=1024) as server:
        [place] = server.places()
        server.read(place, "timeline")
        over = threading.Event()

        def attack(who: int) -> None:
            number = 0
            while not over.is_set():
                number += 1
                text = f"{who}-{number}-" + "x" * 6000
                server.answer("timeline_find", text=text, **place)

        threads = [threading.Thread(target=attack, args=(who,)) for who in range(12)]
        for thread in threads:
            thread.start()
        time.sleep(15)
        over.set()
        for thread in threads:
            thread.join()
        for _ in range(8):
            began = time.monotonic()
            assert server.answer("timeline_step", step=0, **place)[0] == 200
            assert time.monotonic() - began < 2.0


def test_a_trace_that_takes_all_memory_costs_itself_alone(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "big.trace.json.gz", "wb", 1) as file:
        file.write(b'{"schemaVersion": 1, "traceEvents": [')
        for number in range(4_000_000):
            file.write(b"," if number else b"")
            file.write(
                b'{"ph":"X","cat":"cpu_op","name":"op%d","pid":1,"tid":%d,"ts":%d,"dur":3}'
                % (number, number % 64, number)
            )
        file.write(b"]}")
    put_traces(tmp_path, 1)
    with board(tmp_path, memory_bytes=1100 * 1024**2) as server:
        big, small = server.places()
        server.read(small)
        # With time enough it just fits.
        if server.read(big) == "broken":
            what = server.answer("window", **big)[1]["problem"]["what"]
            assert "memory" in what or "given up" in what
        assert server.read(small) == "ready"
        assert server.get("/data/runs")
