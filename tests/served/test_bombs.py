"""Small traces that hold giants, nothing but depth, or numbers that no clock tells, read by a real server."""

from __future__ import annotations

import gzip
import itertools
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from board import SMALL_TRACE, Board, board

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="what a process costs is looked up in /proc"),
]

MB = 1024 * 1024
OPEN = b'{"schemaVersion": 1, "deviceProperties": [], "traceEvents": ['
CLOSE = b"]}"
SHORTEST = b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1}'


def rows(template: bytes, count: int) -> Iterator[bytes]:
    """Events of this form with their number in each place of it."""
    places = template.count(b"%d")
    yield OPEN
    for number in range(count):
        yield (b"," if number else b"") + template % ((number,) * places)
    yield CLOSE


def around(before: bytes, unit: bytes, times: int, after: bytes = CLOSE) -> Iterable[bytes]:
    return itertools.chain([before], itertools.repeat(unit, times), [after])


def event(fields: bytes) -> bytes:
    return b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,' + fields + b"}"


IMPOSSIBLE = b",".join(
    event(fields)
    for fields in (
        b'"ts":1e300,"dur":1e300',
        b'"ts":9223372036854775807,"dur":9223372036854775807',
        b'"ts":-Infinity,"dur":NaN',
        b'"ts":-1e18,"dur":-5',
        b'"ts":' + b"9" * 400_000 + b',"dur":1',
        b'"ts":1,"dur":1,"args":{"correlation":' + b"8" * 5000 + b',"External id":-1e308,"bytes":1e999}',
        b'"ts":5,"dur":1',
    )
)

BOMBS = {
    "spaces before the first event": lambda: around(OPEN, b" " * MB, 600),
    "one name of 600 MB": lambda: around(OPEN + b'{"ph":"X","name":"', b"a" * MB, 600, b'"}' + CLOSE),
    "zeros": lambda: around(b"", bytes(MB), 2000, b""),
    "arguments in arguments": lambda: around(
        OPEN + b'{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":',
        b'{"a":' * 1000,
        1000,
        b"1" + b"}" * 1_000_001 + CLOSE,
    ),
    "lists in lists": lambda: around(b'{"traceEvents":', b"[" * 1000, 1000, b""),
    "events alike": lambda: around(OPEN, (SHORTEST + b",") * 10_000, 170, SHORTEST + CLOSE),
    "threads": lambda: rows(
        b'{"ph":"X","cat":"cpu_op","name":"a","pid":%d,"tid":%d,"ts":%d,"dur":1}', 500_000
    ),
    "names": lambda: rows(
        b'{"ph":"X","cat":"cpu_op","name":"a name of some length %d","pid":1,"tid":1,"ts":%d,"dur":1}',
        500_000,
    ),
    "steps": lambda: rows(
        b'{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":1,"tid":1,"ts":%d.5,"dur":0.4}',
        200_000,
    ),
    "devices": lambda: rows(
        b'{"ph":"X","cat":"kernel","name":"k","pid":%d,"tid":7,"ts":%d,"dur":1,'
        b'"args":{"device":%d,"stream":7,"correlation":%d}}',
        8_000,
    ),
    "impossible times": lambda: [OPEN, IMPOSSIBLE, CLOSE],
    "steps centuries apart": lambda: [
        OPEN,
        event(b'"ts":1,"dur":10').replace(b'"a"', b'"ProfilerStep#1"').replace(b"cpu_op", b"user_annotation"),
        b",",
        event(b'"ts":9000000000000000,"dur":10')
        .replace(b'"a"', b'"ProfilerStep#2"')
        .replace(b"cpu_op", b"user_annotation"),
        CLOSE,
    ],
    "a hundred metadata of one MB": lambda: around(
        b'{"schemaVersion": 1', b',"x":"' + b"y" * MB + b'"', 100, b',"traceEvents":[' + SHORTEST + CLOSE
    ),
}
"""By what they hold, the pieces of a file."""


class Bystander:
    """Looks at TensorBoard's own list of runs all the while."""

    def __init__(self, server: Board) -> None:
        self.server, self.over, self.slowest_s = server, threading.Event(), 0.0
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        while not self.over.wait(0.05):
            began = time.monotonic()
            self.server.get("/data/runs")
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)

    def __enter__(self) -> Bystander:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._thread.join()


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_read_or_refused_in_time_and_costs_the_others_nothing(tmp_path: Path, name: str) -> None:
    with gzip.open(tmp_path / "bomb.trace.json.gz", "wb", 6) as file:
        file.writelines(BOMBS[name]())
    (tmp_path / "good.trace.json.gz").write_bytes(SMALL_TRACE.read_bytes())
    with board(tmp_path) as server, Bystander(server) as bystander:
        bomb, good = server.places()
        server.read(good)
        before_mb, began = server.resident_mb, time.monotonic()
        state = server.read(bomb)
        took_s = time.monotonic() - began
        said = server.answer("window", **bomb)[1]["problem"]
        print(state, "s", round(took_s, 1), "grew_mb", round(server.resident_mb - before_mb, 1))
        print("others_s", round(bystander.slowest_s, 2), "" if said is None else said["what"][-110:])
        assert (state == "broken") == (said is not None)
        assert said is None or "fault of tbprof" not in said["what"]
        # The deadline of a small trace, and what a busy machine takes to notice it.
        assert took_s < 75
        assert server.resident_mb - before_mb < 64
        assert bystander.slowest_s < 10
        assert server.read(good, "window", "timeline") == "ready"
        assert "Traceback" not in server.log.read_text(errors="replace")
