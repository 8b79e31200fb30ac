"""What is found beneath a log directory, what is left out and why."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from tbprof.model import SkippedFile, Window
from tbprof.store.discovery import Discovery, Listing
from tbprof.trace.importers.sniffing import looks_like_trace

SAMPLE = Path(__file__).parents[3] / "logs/samples/h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"
NS = 1752215573993169006

needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def put(path: Path, content: bytes | None = None) -> Path:
    """A file of a log directory: a real trace where no content is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(SAMPLE.read_bytes() if content is None else content)
    return path


def find(logdir: Path, *, follow_links: bool = False) -> Listing:
    return Discovery(logdir, looks_like_trace, follow_links).find()


def names(listing: Listing) -> list[tuple[str, str]]:
    return [(window.run, window.window) for window in listing.windows]


def test_an_empty_or_missing_log_directory_has_no_windows(logdir: Path) -> None:
    assert find(logdir).windows == ()
    missing = find(logdir / "missing")
    assert missing.windows == ()


def test_folders_with_files_of_memory_are_named_with_windows_and_without(logdir: Path) -> None:
    put(logdir / "a" / "x.trace.json.gz")
    put(logdir / "a" / "w.5.memory_step.json", b"{}")
    put(logdir / "b" / "w_rank0.7.out_of_memory.json", b"{}")
    put(logdir / "b" / "w_rank1.8.out_of_memory.json", b"{}")
    put(logdir / "c" / "own.out_of_memory.json", b"{}")
    discovery = Discovery(logdir, looks_like_trace)
    found = discovery.find()
    assert [(one.run, one.newest_ns) for one in found.of_memory] == [("a", 5), ("b", 8)]
    assert [one.run for one in found.without_windows()] == ["b"]
    put(logdir / "d" / "w.9.out_of_memory.json", b"{}")
    assert [one.run for one in discovery.find().without_windows()] == ["b", "d"]


def test_what_gzip_left_beside_a_trace_is_no_second_window(logdir: Path) -> None:
    whole = gzip.decompress(SAMPLE.read_bytes())
    put(logdir / "run" / "w.pt.trace.json", whole)
    packed = put(logdir / "run" / "w.pt.trace.json.gz")
    put(logdir / "run" / "w.tbprof.pb")

    found = find(logdir)
    assert [(one.window, one.report_path is not None) for one in found.windows] == [("w.pt.trace.json", True)]
    assert found.skipped == (SkippedFile(str(packed), "packed_copy"),)

    # Another recording under the same name is one of its own.
    put(logdir / "run" / "w.pt.trace.json", whole + b" ")
    assert len(find(logdir).windows) == 2


def test_each_of_several_traces_of_one_stem_is_a_window_and_one_has_the_report(logdir: Path) -> None:
    for ending in ("json", "json.gz", "pt.trace.json.gz", "trace.json.gz", "tbprof.pb", "pt.tbprof.pb"):
        put(logdir / f"x.{ending}")
    found = find(logdir).windows
    assert {window.worker for window in found} == {"x"}
    reports = {w.window: None if w.report_path is None else Path(w.report_path).name for w in found}
    assert reports == {
        "x.json": None,
        "x.json.gz": None,
        "x.pt.tbprof.pb": "x.pt.tbprof.pb",
        "x.pt.trace.json.gz": None,
        "x.trace.json.gz": "x.tbprof.pb",
    }


def test_a_published_pair_is_one_window(logdir: Path) -> None:
    trace = put(logdir / "run" / f"node1_77.{NS}.trace.json.gz")
    report = put(logdir / "run" / f"node1_77.{NS}.tbprof.pb", b"report")
    assert find(logdir).windows == (
        Window(
            run="run",
            worker="node1_77",
            window=trace.name,
            order_ns=NS,
            trace_path=str(trace),
            report_path=str(report),
            size_bytes=trace.stat().st_size,
        ),
    )


def test_a_report_stands_alone_where_its_trace_is_gone(logdir: Path) -> None:
    report = put(logdir / f"node1_77.{NS}.tbprof.pb", b"report")
    [window] = find(logdir).windows
    assert (window.run, window.window, window.trace_path) == (".", report.name, None)
    assert window.size_bytes == 0


def test_windows_come_by_run_worker_and_time(logdir: Path) -> None:
    put(logdir / "b" / f"w1.{NS}.pt.trace.json.gz")
    put(logdir / "a" / "deep" / f"w1.{NS}.pt.trace.json.gz")
    put(logdir / "b" / f"w1.{NS - 1}.pt.trace.json.gz")
    put(logdir / "b" / "w1.1752215573993.pt.trace.json.gz")
    put(logdir / "b" / f"w0.{NS + 5}.pt.trace.json.gz")
    assert names(find(logdir)) == [
        ("a/deep", f"w1.{NS}.pt.trace.json.gz"),
        ("b", f"w0.{NS + 5}.pt.trace.json.gz"),
        ("b", "w1.1752215573993.pt.trace.json.gz"),
        ("b", f"w1.{NS - 1}.pt.trace.json.gz"),
        ("b", f"w1.{NS}.pt.trace.json.gz"),
    ]


def test_a_window_without_a_time_comes_by_its_last_change(logdir: Path) -> None:
    late, early = put(logdir / "a.json.gz"), put(logdir / "b.json.gz")
    os.utime(early, ns=(NS, NS))
    os.utime(late, ns=(NS + 1, NS + 1))
    assert {window.window: window.order_ns for window in find(logdir).windows} == {
        "b.json.gz": NS,
        "a.json.gz": NS + 1,
    }


def test_other_files_are_told_by_their_first_bytes(logdir: Path) -> None:
    put(logdir / "profile.json.gz")
    put(logdir / "foreign.gz")
    put(logdir / "config.json", b'{"learning_rate": 0.1}')
    put(logdir / "weights.gz", b"\x1f\x8b not gzip after all")
    put(logdir / "events.out.tfevents.1.host", b"")
    put(logdir / "trace.txt")
    found = find(logdir)
    assert [window for _, window in names(found)] == ["foreign.gz", "profile.json.gz"]
    assert found.skipped == ()


def test_a_file_that_claims_to_be_a_trace_is_offered(logdir: Path) -> None:
    # It is opened where it is asked for, and then says what is wrong with it.
    put(logdir / "broken.pt.trace.json", b"")
    assert names(find(logdir)) == [(".", "broken.pt.trace.json")]


def test_hidden_files_and_files_being_written_are_not_seen(logdir: Path) -> None:
    put(logdir / ".hidden.pt.trace.json.gz")
    put(logdir / ".git" / "a.pt.trace.json.gz")
    put(logdir / ".0123456789abcdef.part")
    put(logdir / "a.pt.trace.json.gz.tmp")
    assert find(logdir) == Listing((), ())


@pytest.mark.parametrize("name", ["a b", "<img src=x onerror=alert(1)>", "训练", "x..", "a%2e%2e", "con"])
def test_a_run_may_have_any_name(logdir: Path, name: str) -> None:
    put(logdir / name / "a.pt.trace.json.gz")
    assert names(find(logdir)) == [(name, "a.pt.trace.json.gz")]


@needs_links
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_link_that_leaves_the_log_directory_is_listed_and_not_followed(
    logdir: Path, tmp_path: Path, kind: str
) -> None:
    outside = put(tmp_path / "outside" / "a.pt.trace.json.gz")
    link = logdir / ("a.pt.trace.json.gz" if kind == "file" else "run")
    link.symlink_to(outside if kind == "file" else outside.parent)
    found = find(logdir)
    assert found.windows == ()
    assert [(file.path, file.reason) for file in found.skipped] == [(str(link), "link_leaves_logdir")]
    followed = find(logdir, follow_links=True)
    assert [window for _, window in names(followed)] == ["a.pt.trace.json.gz"]
    assert followed.skipped == ()


@needs_links
def test_a_folder_beside_the_log_directory_is_outside_though_its_name_begins_alike(
    logdir: Path, tmp_path: Path
) -> None:
    put(tmp_path / "logs-secret" / "a.pt.trace.json.gz")
    (logdir / "run").symlink_to(tmp_path / "logs-secret")
    found = find(logdir)
    assert found.windows == ()
    assert [file.reason for file in found.skipped] == ["link_leaves_logdir"]


@needs_links
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give links away")
def test_a_link_of_another_user_is_never_followed(logdir: Path, tmp_path: Path) -> None:
    outside = put(tmp_path / "outside" / "a.pt.trace.json.gz")
    (logdir / "a.pt.trace.json.gz").symlink_to(outside)
    os.chown(logdir / "a.pt.trace.json.gz", 65534, 65534, follow_symlinks=False)
    assert find(logdir, follow_links=True).windows == ()


@needs_links
@pytest.mark.parametrize("follow_links", [False, True])
def test_a_link_within_the_log_directory_shows_its_file_and_no_folder_twice(
    logdir: Path, follow_links: bool
) -> None:
    trace = put(logdir / "run" / "a.pt.trace.json.gz")
    (logdir / "latest").symlink_to(trace.parent)
    (logdir / "best.pt.trace.json.gz").symlink_to(trace)
    assert names(find(logdir, follow_links=follow_links)) == [
        (".", "best.pt.trace.json.gz"),
        ("run", "a.pt.trace.json.gz"),
    ]


@needs_links
@pytest.mark.parametrize("follow_links", [False, True])
def test_links_that_lead_in_circles_end(logdir: Path, tmp_path: Path, follow_links: bool) -> None:
    put(logdir / "run" / "a.pt.trace.json.gz")
    (logdir / "run" / "self").symlink_to(logdir / "run")
    (logdir / "up").symlink_to(tmp_path)
    (logdir / "loop.json").symlink_to(logdir / "loop.json")
    (logdir / "one.json").symlink_to(logdir / "two.json")
    (logdir / "two.json").symlink_to(logdir / "one.json")
    found = find(logdir, follow_links=follow_links)
    assert names(found) == [("run", "a.pt.trace.json.gz")]


@needs_links
def test_a_link_to_nothing_is_no_window(logdir: Path) -> None:
    (logdir / "gone.json").symlink_to(logdir / "missing.json")
    (logdir / "gone.pt.trace.json").symlink_to(logdir / "missing.pt.trace.json")
    assert find(logdir) == Listing((), ())


def test_a_file_that_vanishes_under_way_is_no_window(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(logdir / "a.json.gz")
    put(logdir / "b.pt.trace.json.gz")
    put(logdir / "d.json.gz")
    scan = os.scandir

    def scan_and_delete(path: str) -> AbstractContextManager[list[os.DirEntry[str]]]:
        with scan(path) as entries:
            found = list(entries)
        for name in ("a.json.gz", "b.pt.trace.json.gz"):
            (logdir / name).unlink()
        return nullcontext(found)

    monkeypatch.setattr(os, "scandir", scan_and_delete)
    found = find(logdir)
    assert names(found) == [(".", "d.json.gz")]
    assert found.skipped == ()


def test_an_entry_that_its_file_system_cannot_tell_of_costs_nothing_else(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / f"a.{NS}.tbprof.pb", b"report")
    put(logdir / "b.pt.trace.json.gz")
    scan = os.scandir

    class Stale:
        """An entry of unknown kind, behind which the server has lost the file."""

        name, path = "a1.json", str(logdir / "a1.json")

        def is_file(self, *, follow_symlinks: bool) -> bool:  # noqa: ARG002 - as scandir's have it
            raise OSError(errno.ESTALE, "Stale file handle")

    def scanned(path: str) -> AbstractContextManager[list[os.DirEntry[str] | Stale]]:
        with scan(path) as entries:
            return nullcontext([Stale(), *entries])

    monkeypatch.setattr(os, "scandir", scanned)
    found = find(logdir)
    assert names(found) == [(".", f"a.{NS}.tbprof.pb"), (".", "b.pt.trace.json.gz")]
    assert [(file.path, file.reason) for file in found.skipped] == [(Stale.path, "no_permission")]


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder in which this process, for once, may not do everything."""
    if not hasattr(os, "geteuid"):
        pytest.skip("permissions are those of POSIX")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    before = os.geteuid()
    if before != 0:
        yield folder
    else:
        # Root may read everything; the file system asks for the effective user.
        put(folder / "secret" / "a.json.gz")
        put(folder / "open" / "b.json.gz")
        (folder / "secret").chmod(0o700)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(before)
    shutil.rmtree(folder)


def test_a_folder_that_may_not_be_read_is_listed_and_costs_nothing_else(as_nobody: Path) -> None:
    if not (as_nobody / "open").exists():
        put(as_nobody / "open" / "b.json.gz")
        put(as_nobody / "secret" / "a.json.gz")
        (as_nobody / "secret").chmod(0)
    found = find(as_nobody)
    assert names(found) == [("open", "b.json.gz")]
    assert [(file.path, file.reason) for file in found.skipped] == [
        (str(as_nobody / "secret"), "no_permission")
    ]
    if os.geteuid() == os.getuid():
        (as_nobody / "secret").chmod(0o700)


def test_what_is_moved_over_a_file_of_the_same_size_and_time_is_looked_at(logdir: Path) -> None:
    trace = (
        b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "x", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]}'
    )
    was_trace, was_none = put(logdir / "a.json", trace), put(logdir / "b.json", b"x" * len(trace))
    discovery = Discovery(logdir, looks_like_trace)
    for path in (was_trace, was_none):
        os.utime(path, ns=(NS, NS))
    assert [name for _, name in names(discovery.find())] == ["a.json"]
    for path, content in ((was_trace, b"x" * len(trace)), (was_none, trace)):
        new = put(logdir / "new", content)
        os.utime(new, ns=(NS, NS))
        new.replace(path)
    assert [name for _, name in names(discovery.find())] == ["b.json"]


def test_heads_are_looked_at_once_for_each_change(logdir: Path) -> None:
    looked: list[str] = []

    def look(path: str) -> bool:
        looked.append(Path(path).name)
        return True

    put(logdir / "a.json", b"1")
    put(logdir / "b.json", b"1")
    discovery = Discovery(logdir, look)
    discovery.find()
    discovery.find()
    assert sorted(looked) == ["a.json", "b.json"]
    put(logdir / "b.json", b"22")
    discovery.find()
    assert sorted(looked) == ["a.json", "b.json", "b.json"]


def test_2000_files_are_listed_and_not_read_again(logdir: Path) -> None:
    reads = 0

    def look(path: str) -> bool:
        nonlocal reads
        reads += 1
        return looks_like_trace(path)

    for number in range(2000):
        put(logdir / f"run{number % 40}" / f"w{number}.json", b'{"schemaVersion": 1, "deviceProperties": []}')
    discovery = Discovery(logdir, look)
    assert len(discovery.find().windows) == 2000
    assert len(discovery.find().windows) == 2000
    assert reads == 2000


def test_what_did_not_change_is_not_listed_again(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in ("a", "b"):
        put(logdir / run / f"w.{NS}.tbprof.pb", b"report")
        put(logdir / run / f"w.{NS}.trace.json.gz")
        long_ago(logdir / run / f"w.{NS}.trace.json.gz", logdir / run)
    long_ago(logdir)
    scanned: list[str] = []
    scan = os.scandir

    def counted(path: str) -> Iterator[os.DirEntry[str]]:
        scanned.append(Path(path).name)
        return scan(path)

    monkeypatch.setattr(os, "scandir", counted)
    discovery = Discovery(logdir, looks_like_trace)
    first = discovery.find()
    assert sorted(scanned) == sorted([logdir.name, "a", "b"])
    scanned.clear()
    assert discovery.find() == first
    assert scanned == []
    put(logdir / "b" / f"w.{NS + 1}.tbprof.pb", b"report")
    assert len(discovery.find().windows) == 3
    assert scanned == ["b"]
    # Changed just now: it may have changed again within the clock's tick.
    discovery.find()
    assert scanned == ["b", "b"]


def test_a_trace_that_grows_in_an_unchanged_folder_is_seen(logdir: Path) -> None:
    trace = put(logdir / "w.pt.trace.json")
    long_ago(logdir)
    discovery = Discovery(logdir, looks_like_trace)
    before = discovery.find().windows[0].size_bytes
    with trace.open("ab") as file:
        file.write(b" " * 100)
    long_ago(logdir)
    assert discovery.find().windows[0].size_bytes == before + 100


def test_a_folder_is_not_believed_for_ever(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = put(logdir / "run" / "trace.json")
    long_ago(trace, logdir / "run", logdir)
    discovery = Discovery(logdir, looks_like_trace)
    first = discovery.find()
    # Written anew in its place, as `export_chrome_trace` does: its folder is as it was.
    trace.write_bytes(trace.read_bytes() + b" ")
    assert discovery.find() is first
    later_s = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: later_s)
    [window] = discovery.find().windows
    assert window.size_bytes == first.windows[0].size_bytes + 1


def test_a_folder_that_was_looked_into_again_and_is_the_same_is_not_listed_anew(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "run" / f"w.{NS}.tbprof.pb", b"report")
    long_ago(logdir / "run", logdir)
    discovery = Discovery(logdir, looks_like_trace)
    first = discovery.find()
    later_s = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: later_s)
    assert discovery.find() is first


def long_ago(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (1_600_000_000, 1_600_000_000))
