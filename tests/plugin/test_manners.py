"""What the routes refuse: writing, other sites' pages, and every way out of the log directory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

CANARY = "canary-0f9c1b"
OpenTab = Callable[..., Any]


def routes(tab: Any) -> list[str]:
    """Every address that the plugin answers to."""
    found = [route.replace("*", "x.js") for route in tab.plugin._asked().applications]
    assert len(found) > 20
    return [f"/data/plugin/tbprof/{route}" for route in found]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_every_route_is_read_only(open_tab: OpenTab, logdir: Path, method: str) -> None:
    tab = open_tab(str(logdir))
    for route in routes(tab):
        response = tab.client.open(route, method=method, data={"run": "x"})
        assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD"), route


def test_the_page_of_another_site_gets_nothing(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    for route in routes(tab):
        assert tab.client.get(route, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403, route
        same = tab.client.get(route, headers={"Sec-Fetch-Site": "same-origin"})
        assert same.status_code in (200, 400, 404), route


def test_every_answer_tells_browsers_to_keep_it_to_themselves(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    for route in routes(tab):
        for headers in ({}, {"Sec-Fetch-Site": "cross-site"}):
            told = tab.client.get(route, headers=headers).headers
            assert told["X-Content-Type-Options"] == "nosniff", route
            assert told["Cross-Origin-Resource-Policy"] == "same-origin", route
            assert "frame-ancestors 'self'" in told["Content-Security-Policy"], route
            assert "Access-Control-Allow-Origin" not in told, route
            assert told.getlist("Cache-Control") == [told["Cache-Control"]], route
    assert tab.get("runs").headers["Cache-Control"] == "private, no-cache"


def test_long_parameters_are_refused_by_every_route(open_tab: OpenTab, logdir: Path) -> None:
    tab = open_tab(str(logdir))
    for route in routes(tab):
        assert tab.client.get(route, query_string={"run": "x" * 9000}).status_code == 400, route


ON_LOOPBACK: dict[str, Any] = {}
TO_ALL = {"bind_all": True}
NAMED = {"hosts": "board.example.org, other"}


@pytest.mark.parametrize(
    ("started", "host", "is_answered"),
    [
        (ON_LOOPBACK, "localhost:6006", True),
        (ON_LOOPBACK, "127.0.0.1:6006", True),
        (ON_LOOPBACK, "[::1]:6006", True),
        (ON_LOOPBACK, "192.168.0.7", True),
        (ON_LOOPBACK, "tab.localhost", True),
        (ON_LOOPBACK, "evil.example", False),
        (ON_LOOPBACK, "127.0.0.1.nip.io", False),
        (ON_LOOPBACK, "", False),
        (TO_ALL, "gpu7.corp:6006", True),
        ({"host": "0.0.0.0"}, "gpu7.corp:6006", True),
        (NAMED, "board.example.org", True),
        (NAMED, "OTHER.:80", True),
        (NAMED, "evil.example", False),
        ({**NAMED, **TO_ALL}, "evil.example", False),
        ({"hosts": "*"}, "evil.example", True),
    ],
)
def test_a_page_that_took_another_name_reads_nothing(
    open_tab: OpenTab, logdir: Path, started: dict[str, Any], host: str, is_answered: bool
) -> None:
    tab = open_tab(str(logdir), **started)
    answer = tab.client.get("/data/plugin/tbprof/runs", headers={"Host": host})
    assert answer.status_code == (200 if is_answered else 403)
    assert is_answered or "--tbprof_hosts" in answer.json["error"]
    assert tab.client.get("/data/plugin/tbprof/index.js", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("route", ["runs", "index.js", "rule?code=SYN01"])
def test_head_has_the_head_of_get_and_no_body(open_tab: OpenTab, logdir: Path, route: str) -> None:
    client = open_tab(str(logdir)).client
    head, get = (client.open(f"/data/plugin/tbprof/{route}", method=name) for name in ("HEAD", "GET"))
    assert head.status_code == get.status_code == 200
    assert head.headers["Content-Type"] == get.headers["Content-Type"]
    assert head.get_data() == b""


def tree_hash(folder: Path) -> str:
    parts = (f"{path} {path.stat().st_mtime_ns}" for path in sorted(folder.rglob("*")))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def test_nothing_of_the_log_directory_changes(open_tab: OpenTab, logdir: Path) -> None:
    before = tree_hash(logdir)
    tab = open_tab(str(logdir))
    tab.window("run", "w", "w.1752215573993169006.pt.trace.json.gz")
    for route in routes(tab):
        tab.client.post(route, data={"run": "../.."})
    assert tree_hash(logdir) == before


@pytest.fixture
def canary(logdir: Path) -> Path:
    """A file beside the log directory, and in a folder whose name begins like it."""
    secret = Path(f"{logdir}-secret")
    secret.mkdir()
    for path in (logdir.parent / "canary.json", secret / "canary.pt.trace.json", logdir / "canary.txt"):
        path.write_text(CANARY, encoding="utf-8")
    return logdir.parent / "canary.json"


def tricks(canary: Path) -> Iterator[str]:
    """Ways to name a file that was not offered."""
    outside = ["../canary.json", "../../canary.json", "../logs-secret/canary.pt.trace.json", "./canary.txt"]
    for way in outside:
        yield way
        yield f"run/{way}"
        yield way.replace("/", "\\")
        yield way.replace("..", "%2e%2e")
        yield way.replace("/", "%2f")
        yield way.replace("..", "%252e%252e")
        yield way.replace("../", "....//")
        yield f"{way}\0.pt.trace.json"
        yield f"/{way}"
        yield f"//{way}"
        yield f"file://{way}"
    yield str(canary)
    yield f"file://{canary}"
    yield f"//localhost{canary}"
    yield from ("/proc/self/environ", "/dev/zero", "/etc/passwd")
    yield from ("..", ".", "~", "\0", "\udcff", "a" * 10_000)


def is_refused(response: Any) -> bool:
    return response.status_code in (400, 404) and CANARY.encode() not in response.get_data()


def test_no_parameter_leads_out_of_the_log_directory(open_tab: OpenTab, logdir: Path, canary: Path) -> None:
    tab = open_tab(str(logdir))
    place = {"run": "run", "worker": "w", "window": "w.1752215573993169006.pt.trace.json.gz"}
    tried = 0
    for trick in tricks(canary):
        for name in place:
            raw = "&".join(f"{key}={quote(value)}" for key, value in {**place, name: "@"}.items())
            value = quote(trick, safe="", errors="surrogateescape")
            for written in {value, value.replace("%2F", "/").replace("%25", "%")}:
                query = raw.replace("%40", written)
                response = tab.client.get(f"/data/plugin/tbprof/window?{query}")
                assert is_refused(response), (name, trick)
                tried += 1
        assert is_refused(tab.get("rule", code=trick.encode("utf-8", "replace").decode()))
    assert tried > 200


def test_no_path_leads_out_of_the_bundle(open_tab: OpenTab, logdir: Path, canary: Path) -> None:
    client = open_tab(str(logdir)).client
    for trick in tricks(canary):
        value = quote(trick, safe="/%", errors="surrogateescape")
        for address in (f"assets/{value}", f"assets/../{value}", f"assets/%2e%2e/{value}"):
            assert is_refused(client.get(f"/data/plugin/tbprof/{address}")), address
    inside = ("../__init__.py", "../../pyproject.toml", "%2e%2e/errors.py", "../py.typed", "")
    for name in inside:
        assert is_refused(client.get(f"/data/plugin/tbprof/assets/{name}")), name


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_out_of_the_log_directory_is_listed_and_never_opened(
    open_tab: OpenTab, logdir: Path, canary: Path, sample: Path
) -> None:
    outside = canary.parent / "outside.pt.trace.json.gz"
    outside.write_bytes(sample.read_bytes())
    (logdir / "link.pt.trace.json.gz").symlink_to(outside)
    tab = open_tab(str(logdir))
    [skipped] = tab.runs()["skipped"]
    assert skipped["path"] == "link.pt.trace.json.gz"
    assert "--tbprof_follow_links" in skipped["reason"]
    assert is_refused(tab.get("window", run=".", worker="link", window="link.pt.trace.json.gz"))
    allowed = open_tab(str(logdir), follow_links=True)
    assert allowed.window(".", "link", "link.pt.trace.json.gz")["state"] == "ready"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_that_looks_like_a_trace_holds_nobody_up(open_tab: OpenTab, logdir: Path) -> None:
    os.mkfifo(logdir / "run" / "pipe.pt.trace.json")
    os.mkfifo(logdir / "run" / "pipe.json")
    tab = open_tab(str(logdir))
    answer = tab.window("run", "pipe", "pipe.pt.trace.json")
    assert answer["state"] == "broken"
    assert "no regular file" in answer["problem"]["what"]
