"""Files that are not what their name or their time says: none gives another trace's figures."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from board import SMALL_TRACE, TRACE, Board, board, until

from tbprof.report import build_report
from tbprof.safe_open import content_of
from tbprof.store.codec import encode_report

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="a server's processes are ended as Linux does"),
]

YEAR_NS = 365 * 86400 * 10**9
LONG_AGO_NS, FAR_AHEAD_NS = -(30 * YEAR_NS), 200 * YEAR_NS


@pytest.fixture(scope="module")
def events() -> dict[Path, int]:
    """How many each of the two traces has: what tells whose figures are shown."""
    found = {path: build_report(path).trace.num_events for path in (TRACE, SMALL_TRACE)}
    assert len(set(found.values())) == 2
    return found


def place_of(path: Path) -> dict[str, str]:
    return {"run": ".", "worker": path.name.partition(".")[0], "window": path.name}


def shown(server: Board, path: Path) -> Any:
    until(lambda: place_of(path) in server.places(), every_s=0.3)
    assert server.read(place_of(path)) == "ready"
    return server.answer("window", **place_of(path))[1]["window"]


def test_a_report_of_another_trace_is_named_and_not_shown(tmp_path: Path, events: dict[Path, int]) -> None:
    trace = Path(shutil.copy(TRACE, tmp_path / "w.trace.json.gz"))
    other = encode_report(build_report(SMALL_TRACE), written_by="0.1", made_of=content_of(SMALL_TRACE))
    (tmp_path / "w.tbprof.pb").write_bytes(other)
    with board(tmp_path) as server:
        view = shown(server, trace)
    assert view["num_events"] == events[TRACE]
    assert any(row["code"] == "report_of_other_trace" for row in view["health"])


def test_what_was_written_over_with_its_size_and_time_kept_is_read_anew(
    tmp_path: Path, events: dict[Path, int]
) -> None:
    """As `rsync --times --inplace` and `touch -r` leave it; also by a server that is started later."""
    logs, path = tmp_path / "logs", tmp_path / "logs" / "w.trace.json.gz"
    logs.mkdir()
    size = 64 + max(one.stat().st_size for one in events)
    for number, trace in enumerate((TRACE, SMALL_TRACE, TRACE)):
        with board(logs, XDG_CACHE_HOME=str(tmp_path / "cache")) as server:
            if number == 1:
                shown(server, path)
            with path.open("r+b" if number else "wb") as file:
                file.write(trace.read_bytes().ljust(size, b"\0"))
            os.utime(path, ns=(10**18, 10**18))
            assert shown(server, path)["num_events"] == events[trace]
        with board(logs, XDG_CACHE_HOME=str(tmp_path / "cache")) as server:
            assert shown(server, path)["num_events"] == events[trace]


def test_a_clock_that_goes_back_hides_no_change(tmp_path: Path, events: dict[Path, int]) -> None:
    path = tmp_path / "w.trace.json.gz"
    with board(tmp_path) as server:
        for number, time_ns in enumerate((FAR_AHEAD_NS, 10**18, LONG_AGO_NS, FAR_AHEAD_NS)):
            trace = (TRACE, SMALL_TRACE)[number % 2]
            aside = Path(shutil.copy(trace, tmp_path / ".aside"))
            os.utime(aside, ns=(time_ns, time_ns))
            aside.replace(path)
            os.utime(tmp_path, ns=(time_ns, time_ns))
            assert shown(server, path)["num_events"] == events[trace]
            late = Path(shutil.copy(SMALL_TRACE, tmp_path / f"late{number}.trace.json.gz"))
            os.utime(tmp_path, ns=(time_ns, time_ns))
            assert shown(server, late)["num_events"] == events[SMALL_TRACE]
            assert server.answer("fleet")[0] == 200
        assert len(server.places()) == 5
        assert "Traceback" not in server.log.read_text(errors="replace")


def test_several_files_of_one_stem_are_all_shown_or_named(tmp_path: Path) -> None:
    plain = gzip.decompress(SMALL_TRACE.read_bytes())
    for name in ("x.json", "x.trace.json", "x.pt.trace.json"):
        (tmp_path / name).write_bytes(plain)
        (tmp_path / f"{name}.gz").write_bytes(SMALL_TRACE.read_bytes())
    for name in ("x.tbprof.pb", "x.trace.tbprof.pb"):
        (tmp_path / name).write_bytes(encode_report(build_report(SMALL_TRACE), written_by="0.1"))
    with board(tmp_path) as server:
        shown_names = {place["window"] for place in server.places()}
        skipped = {file["path"] for file in server.answer("runs")[1]["skipped"]}
        with_report = {"x.tbprof.pb", "x.trace.tbprof.pb"}
        assert shown_names | skipped | with_report == {path.name for path in tmp_path.iterdir()}
        assert {server.read(place) for place in server.places()} == {"ready"}


def test_what_others_left_in_the_cache_is_neither_believed_nor_removed(
    tmp_path: Path, events: dict[Path, int]
) -> None:
    logs, cache = tmp_path / "logs", tmp_path / "cache"
    logs.mkdir()
    paths = [Path(shutil.copy(TRACE, logs / f"w{number}.trace.json.gz")) for number in range(6)]
    with board(logs, XDG_CACHE_HOME=str(cache)) as server:
        for path in paths:
            shown(server, path)
    kept = sorted((cache / "tbprof" / "reports").glob("*.pb"))
    assert len(kept) == len(paths)
    for path in kept:
        path.unlink()
    whole, garbage, zeros, folder, pipe, link = kept
    other = encode_report(build_report(SMALL_TRACE), written_by="0.1")[:-7]
    whole.write_bytes(other)
    garbage.write_bytes(os.urandom(5000))
    zeros.symlink_to("/dev/zero")
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    precious = [cache / "tbprof" / "reports" / name for name in ("notes.txt", ".hidden", "0123.pb")]
    for path in precious:
        path.write_text("mine", encoding="ascii")
    with board(logs, XDG_CACHE_HOME=str(cache)) as server:
        for path in paths:
            assert shown(server, path)["num_events"] == events[TRACE]
        assert "Traceback" not in server.log.read_text(errors="replace")
    assert [path.read_text(encoding="ascii") for path in precious] == ["mine"] * 3
