"""Every parameter of every route, with whatever an address can hold: no other file's byte, and no fault."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import random
import shutil
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from board import OURS, SMALL_TRACE, Board, all_routes, board

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="a server's processes are ended as Linux does"),
]

CANARY = "canary-5d0a77"
TRIES = 4000
GOOD = {"run": "run", "worker": "w", "window": "w.trace.json.gz"}
OTHERS = {
    **{f"before_{name}": value for name, value in GOOD.items()},
    **dict.fromkeys(("number", "finding", "step", "row", "device", "start", "from", "rank", "group"), "0"),
    **dict.fromkeys(("text", "search", "kind"), "row"),
    **dict.fromkeys(("level", "end", "at", "size"), "12"),
    **dict.fromkeys(("by", "sort"), "name"),
    "code": "SYN01",
    "lanes": "0.1",
    "after": "-1",
    "order": "back",
    "table": "operators",
    "page": "report",
    "scope": "trace",
    "columns": "first",
}
ODD_NUMBERS = (
    *("-1", "1e9", "0x10", "NaN", "Infinity", "1_0", " 1", "+1", "1.0", "9" * 19, "9" * 20, "9" * 5000),
    *("\u0663", "\u00b2", "\uff11", "-0", "", "null", "true", "[]", "2147483648", "18446744073709551616"),
)
ODD_NAMES = (
    *(".", "..", "~", "~root", "\0", "a" * 6000, "__proto__", "constructor", "run\nrun", "%", "%%", "%zz"),
    *("\udcff", "con", "nul", "run/", "/run", "run//", "RUN", "run\u202e", "e\u0301", "\u00e9", "\U0010ffff"),
    *("*", "run*", "{run}", "$(id)", "`id`", "'; drop", "${HOME}", "%n%s", "w.trace.json.gz/."),
)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """One run, with secrets beside it and above it."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    shutil.copy(SMALL_TRACE, run / "w.trace.json.gz")
    secret = gzip.decompress(SMALL_TRACE.read_bytes()).replace(b"aten::", f"{CANARY}::".encode())
    for folder in (tmp_path, tmp_path / "logs-secret", run / ".hidden"):
        folder.mkdir(exist_ok=True)
        (folder / "secret.pt.trace.json").write_bytes(secret)
        (folder / "secret.txt").write_text(CANARY, encoding="ascii")
    return tmp_path / "logs"


def ways_out(logdir: Path) -> Iterator[str]:
    """Names of files that were not offered, written in every way."""
    outside = (
        *("../secret.pt.trace.json", "../../secret.txt", "../logs-secret/secret.pt.trace.json"),
        *(".hidden/secret.pt.trace.json", "/etc/passwd", "/proc/self/environ"),
        str(logdir.parent / "secret.pt.trace.json"),
    )
    for way in outside:
        yield from (way, f"run/{way}", f"/{way}", f"//{way}", f"file://{way}", f"{way}\0.trace.json.gz")
        for old, new in (("/", "\\"), ("..", "%2e%2e"), ("/", "%2f"), ("/", "%252f"), ("../", "....//")):
            yield way.replace(old, new)
        for old, new in (("..", "\u2025"), ("/", "\u2215"), ("/", "\uff0f"), ("..", "..;"), ("..", ".\0.")):
            yield way.replace(old, new)


def addresses(logdir: Path) -> Iterator[str]:
    """Each parameter of each route with each value, written in two ways."""
    values = (*ways_out(logdir), *ODD_NAMES, *ODD_NUMBERS)
    for route in all_routes():
        for name in (*GOOD, *OTHERS, "", "run[]", "ask", "path", "__class__"):
            for value in values:
                others = {**GOOD, **OTHERS}
                others.pop(name, None)
                kept = "&".join(f"{key}={quote(one)}" for key, one in others.items())
                for safe in ("", "/%"):
                    written = quote(value, safe=safe, errors="surrogateescape")
                    yield f"{OURS}{route}?{quote(name)}={written}&{kept}"
    for value in values:
        yield f"{OURS}assets/{quote(value, safe='/%', errors='surrogateescape')}"
        yield f"{OURS}{quote(value, safe='/%', errors='surrogateescape')}"


def asked(server: Board, address: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.putrequest("GET", address, skip_accept_encoding=True)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_no_parameter_of_any_route_leads_out_or_is_a_fault(logdir: Path) -> None:
    every = list(addresses(logdir))
    chosen = random.Random(7).sample(every, TRIES)
    statuses, faults = Counter[int](), Counter[str]()
    with board(logdir) as server:
        assert server.places() == [GOOD]
        assert server.read(GOOD, "window", "timeline") == "ready"
        for address in chosen:
            status, content = asked(server, address)
            statuses[status] += 1
            assert CANARY.encode() not in content, address
            assert b"root:x:" not in content, address
            # A sentence may repeat what was asked for.
            if logdir.parent.name not in address:
                assert str(logdir.parent).encode() not in content, address
            if status not in (200, 400, 404, 503) or b"fault of tbprof" in content:
                faults[f"{address[:200]}: {content[:200]!r}"] += 1
        assert "Traceback" not in server.log.read_text(errors="replace")
    print(len(every), dict(statuses))
    assert not faults
    assert min(statuses[200], statuses[400], statuses[404]) > TRIES / 20


def test_what_is_no_request_is_refused_and_ends_nothing(logdir: Path) -> None:
    """Lines and headers that are not HTTP's, as scanners of a network send them."""
    noise = random.Random(3)
    with board(logdir) as server:
        server.places()
        lines: list[bytes] = [
            b"GET " + OURS.encode() + b"runs?run=\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET " + OURS.encode() + b"runs HTTP/9.9\r\n\r\n",
            b"GET http://evil.example" + OURS.encode() + b"runs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET " + OURS.encode() + b"runs HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"GET " + OURS.encode() + b"window?" + b"&" * 30_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET " + OURS.encode() + b"window?" + b"a=1&" * 15_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"HEAD " + OURS.encode() + b"runs HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            b"GET " + OURS.encode() + b"runs HTTP/1.1\r\n" + b"X: y\r\n" * 99 + b"\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            *(noise.randbytes(400) + b"\r\n\r\n" for _ in range(50)),
        ]
        for line in lines:
            answer = sent(server, line)
            assert b" 500 " not in answer[:20], (line[:100], answer[:300])
            assert b"fault of tbprof" not in answer, (line[:100], answer[:300])
        assert server.read(GOOD) == "ready"
        assert "tbprof/" not in server.log.read_text(errors="replace")


def sent(server: Board, line: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(line)
        client.shutdown(socket.SHUT_WR)
        found = b""
        with contextlib.suppress(OSError):
            while part := client.recv(65536):
                found += part
        return found
