"""What those who can write to a log directory can put in the place of a report, asked through the tab."""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tbprof.store import report_pb2

OpenTab = Callable[..., Any]
NAME = "w.1752215573993169006.tbprof.pb"
PLACE = {"run": "run", "worker": "w", "window": NAME}
ROUTES = ("window", "source", "compare", "finding", "checks", "ranks", "trend", "job")

needs_pipes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is looked up in /proc")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "logs" / "run"
    folder.mkdir(parents=True)
    return folder


def asked(tab: Any, route: str) -> Any:
    before = {f"before_{name}": value for name, value in PLACE.items()}
    return tab.get(route, **PLACE, **before, finding="0")


@needs_pipes
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_file_holds_up_no_route_and_is_named(open_tab: OpenTab, run: Path, kind: str) -> None:
    report = run / NAME
    if kind == "pipe":
        os.mkfifo(report)
    else:
        report.write_bytes(b"x")
    tab = open_tab(str(run.parent))
    assert len(tab.runs()["runs"]) == 1
    if kind == "endless":
        report.unlink()
        report.symlink_to("/dev/zero")
    for route in ROUTES:
        answer = asked(tab, route)
        # Once it was listed again, the link that leads out is no window any more.
        assert answer.status_code in ((200, 400) if kind == "pipe" else (200, 400, 404)), route
        assert str(run) not in answer.text, route
    for route in ("window", "source", "compare"):
        answer = asked(tab, route)
        if answer.status_code != 404:
            assert answer.json["problem"]["what"].startswith(f"run/{NAME} can't be read"), route


def sealed(unpacked: bytes) -> bytes:
    envelope = report_pb2.Envelope(schema=1, checksum=zlib.crc32(unpacked), report=zlib.compress(unpacked))
    return envelope.SerializeToString()


def varint(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + varint(value >> 7)


def field(number: int, content: bytes = b"") -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def times_within(part: bytes, size: int) -> bytes:
    """As many of a part as a size holds."""
    return part * (size // len(part))


SIZE = 15_900_000
# Each is made when it is asked for: together they would fill 400 MB of every process that collects tests.
BOMBS: dict[str, Callable[[], bytes]] = {
    **{
        each.name: partial(times_within, field(each.number), SIZE)
        for each in report_pb2.Report.DESCRIPTOR.fields
        if each.message_type is not None
    },
    "text": lambda: field(1, field(2, b"A" * SIZE)),
    "numbers": lambda: field(3, field(6, bytes(SIZE))),
    "small": lambda: field(2) * 50_000,
    "within": lambda: field(2, field(11) * 60_000) * 100,
}


@pytest.mark.exhaustive
@on_linux
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_report_that_holds_millions_costs_a_moment_and_little_memory(
    open_tab: OpenTab, run: Path, name: str
) -> None:
    (run / NAME).write_bytes(sealed(field(2)))
    tab = open_tab(str(run.parent))
    # The processes have begun, and one has read a report: the first, as long as none has anything to do.
    asked(tab, "window")
    pids = tab.plugin.worker_pids()
    before_kb = peak_kb(pids[0])
    (run / NAME).write_bytes(sealed(BOMBS[name]()))
    began = time.monotonic()
    answer = asked(tab, "window").json
    assert time.monotonic() - began < 1.0
    assert answer["state"] == "broken"
    assert tab.plugin.worker_pids() == pids
    assert peak_kb(pids[0]) - before_kb < 64 * 1024


def peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
