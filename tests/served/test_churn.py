"""A log directory that changes while it is looked at: no answer is a fault, and what is whole is read."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from board import SMALL_TRACE, TRACE, Board, board

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="what a process costs is looked up in /proc"),
]

SECONDS = 60.0
ROUTES = ("window", "timeline", "source", "ranks", "trend", "fleet")


class Writer:
    """Does to a run whatever trainings and their users do, and worse."""

    def __init__(self, run: Path) -> None:
        self.run, self.over, self.chance = run, threading.Event(), random.Random(5)
        self.born: dict[str, float] = {}
        self.done: Counter[str] = Counter()
        self._number = 0
        self._ways = (self._new, self._grow, self._cut, self._replace, self._move, self._remove, self._forbid)

    def write(self) -> None:
        while not self.over.is_set():
            self._number += 1
            way = self.chance.choice(self._ways)
            with contextlib.suppress(OSError, IndexError):
                way()
                self.done[way.__name__] += 1
            if self._number % 300 == 0:
                shutil.rmtree(self.run)
                self.run.mkdir()
            time.sleep(0.03)

    def _any(self) -> Path:
        return self.chance.choice(sorted(self.run.glob("*.gz")))

    def _new(self) -> None:
        name = f"w{self._number}.trace.json.gz"
        aside = self.run / ".aside"
        shutil.copy(SMALL_TRACE, aside)
        aside.replace(self.run / name)
        self.born[name] = time.monotonic()

    def _grow(self) -> None:
        with (self.run / f"grow{self._number}.trace.json.gz").open("wb") as file:
            data = TRACE.read_bytes()
            for at in range(0, len(data), 60_000):
                file.write(data[at : at + 60_000])
                file.flush()
                time.sleep(0.01)

    def _cut(self) -> None:
        os.truncate(self._any(), self.chance.randrange(1, 500))

    def _replace(self) -> None:
        aside = self.run / ".aside2"
        shutil.copy(TRACE, aside)
        aside.replace(self._any())

    def _move(self) -> None:
        self._any().rename(self.run / f"moved{self._number}.trace.json.gz")

    def _remove(self) -> None:
        self._any().unlink()

    def _forbid(self) -> None:
        self._any().chmod(0)


def test_no_change_of_a_file_is_a_fault_and_new_windows_are_seen_soon(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    writer = Writer(run)
    with board(tmp_path) as server:
        thread = threading.Thread(target=writer.write)
        thread.start()
        statuses, seen, resident_mb = looked_at(server, writer)
        writer.over.set()
        thread.join()
        print("changes", dict(writer.done))
        print("statuses", dict(statuses))
        print("seen_after_s", round(sorted(seen)[len(seen) // 2], 1))
        assert set(statuses) <= {200, 400, 404, 503}
        assert "Traceback" not in server.log.read_text(errors="replace")
        assert len(seen) > 10
        assert sorted(seen)[len(seen) // 2] < 5
        # What was read first takes its room once.
        assert resident_mb[-1] - resident_mb[len(resident_mb) // 2] < 15
        half_then_whole(server, run)


def looked_at(server: Board, writer: Writer) -> tuple[Counter[int], list[float], list[float]]:
    """Statuses of answers, how long after their birth windows were listed, and memory."""
    statuses: Counter[int] = Counter()
    seen: dict[str, float] = {}
    resident_mb = []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        places = server.places()
        for place in places:
            if (born := writer.born.get(place["window"])) is not None:
                seen.setdefault(place["window"], time.monotonic() - born)
        for place in writer.chance.sample(places, min(6, len(places))):
            for route in ROUTES:
                statuses[server.answer(route, **place)[0]] += 1
        resident_mb.append(server.resident_mb)
    return statuses, list(seen.values()), resident_mb


def half_then_whole(server: Board, run: Path) -> None:
    data, path = TRACE.read_bytes(), run / "half.trace.json.gz"
    place = {"run": "run", "worker": "half", "window": path.name}
    path.write_bytes(data[: len(data) // 2])
    time.sleep(3)
    server.read(place)
    half = server.answer("window", **place)[1]
    with path.open("ab") as file:
        file.write(data[len(data) // 2 :])
    time.sleep(3)
    assert server.read(place) == "ready"
    assert server.answer("window", **place)[1]["window"]["num_events"] > half["window"]["num_events"]


def test_two_servers_of_one_cache_say_the_same(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(8):
        shutil.copy(SMALL_TRACE, logs / f"w{number}.trace.json.gz")
    with board(logs) as one, board(logs) as other:
        places = one.places()
        said = []
        for server in (one, other):
            assert {server.read(place) for place in places} == {"ready"}
            said.append([server.answer("window", **place) for place in places])
        assert said[0] == said[1]
