"""The cache of reports: used where it is the user's own and fits the file, else as if it were not there."""

from __future__ import annotations

import dataclasses
import os
import shutil
import stat
from pathlib import Path

import pytest

from tbprof.model import Report
from tbprof.report import build_report
from tbprof.store import report_cache
from tbprof.store.codec import MAX_REPORT_BYTES
from tbprof.store.report_cache import cached_report, keep_report, report_key

SAMPLE = Path(__file__).parents[3] / "logs/samples/h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"
posix = pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path))


@pytest.fixture
def report(trace: Path) -> Report:
    return build_report(trace)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the reports are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tbprof" / "reports"


def keep(trace: Path, report: Report) -> None:
    keep_report(str(trace), report, report_key(str(trace)))


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("*")) if folder.exists() else []


def test_what_was_kept_is_found(trace: Path, report: Report, folder: Path) -> None:
    assert cached_report(str(trace)) is None
    keep(trace, report)
    assert cached_report(str(trace)) == report
    assert len(kept(folder)) == 1


@posix
def test_the_folder_is_the_users_alone(trace: Path, report: Report, folder: Path) -> None:
    keep(trace, report)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_under_another_name_it_is_named_anew(trace: Path, report: Report) -> None:
    other = trace.with_name("other_1.1752215573993169006.pt.trace.json.gz")
    other.hardlink_to(trace)
    keep(trace, report)
    found = cached_report(str(other))
    assert found is not None
    assert (found.trace.path, found.trace.worker) == (str(other), "other_1")
    assert dataclasses.replace(found, trace=report.trace) == report


def test_a_file_that_was_moved_is_read_anew(trace: Path, report: Report) -> None:
    keep(trace, report)
    assert cached_report(str(trace.rename(trace.with_name("moved.json.gz")))) is None


@posix
def test_what_changed_in_the_middle_and_got_its_time_back_is_read_anew(
    tmp_path: Path, report: Report
) -> None:
    trace = tmp_path / "large.json"
    trace.write_bytes(bytes(1 << 20))
    keep(trace, report)
    times = trace.stat()
    with trace.open("r+b") as file:
        file.seek(1 << 19)
        file.write(b"x")
    os.utime(trace, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cached_report(str(trace)) is None


def test_a_trace_that_was_replaced_while_it_was_read_is_not_known(trace: Path, report: Report) -> None:
    key = report_key(str(trace))
    Path(shutil.copy(SAMPLE, trace.with_name("new"))).replace(trace)
    keep_report(str(trace), report, key)
    assert cached_report(str(trace)) is None


def test_a_file_that_changed_is_read_anew(trace: Path, report: Report) -> None:
    keep(trace, report)
    times = trace.stat()
    os.utime(trace, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    assert cached_report(str(trace)) is None


def test_a_copy_is_another_file(trace: Path, report: Report) -> None:
    keep(trace, report)
    assert cached_report(shutil.copy2(trace, trace.with_name("copy.json.gz"))) is None


def test_another_version_of_tbprof_asks_anew(
    trace: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(trace, report)
    monkeypatch.setattr(report_cache, "__version__", "99")
    assert cached_report(str(trace)) is None


def test_a_missing_trace_has_no_report(tmp_path: Path, report: Report, folder: Path) -> None:
    assert cached_report(str(tmp_path / "missing")) is None
    keep(tmp_path / "missing", report)
    assert kept(folder) == []


@pytest.mark.parametrize("content", [b"", b"not a report", bytes(MAX_REPORT_BYTES + 1)])
def test_a_damaged_report_counts_as_none(trace: Path, report: Report, folder: Path, content: bytes) -> None:
    keep(trace, report)
    [entry] = kept(folder)
    entry.write_bytes(content)
    assert cached_report(str(trace)) is None
    keep(trace, report)
    assert cached_report(str(trace)) == report


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_may_write_to_is_not_used(
    trace: Path, report: Report, folder: Path, mode: int
) -> None:
    keep(trace, report)
    before = kept(folder)
    folder.chmod(mode)
    assert cached_report(str(trace)) is None
    before[0].unlink()
    keep(trace, report)
    assert kept(folder) == []


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give folders away")
def test_a_folder_of_another_user_is_not_used(trace: Path, report: Report, folder: Path) -> None:
    keep(trace, report)
    os.chown(folder, 65534, 65534)
    assert cached_report(str(trace)) is None


def test_a_cache_that_can_not_be_made_is_done_without(trace: Path, report: Report, folder: Path) -> None:
    folder.parent.parent.write_text("a file where the folder should be", encoding="utf-8")
    keep(trace, report)
    assert cached_report(str(trace)) is None


def test_the_reports_not_used_for_longest_go_first(
    tmp_path: Path, report: Report, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces = [Path(shutil.copy(SAMPLE, tmp_path / f"{number}.json.gz")) for number in range(4)]
    for number, trace in enumerate(traces[:3]):
        before = set(kept(folder))
        keep(trace, report)
        [entry] = set(kept(folder)) - before
        os.utime(entry, ns=(number, number))
    size = kept(folder)[0].stat().st_size
    # The first is the oldest, and used just now.
    assert cached_report(str(traces[0])) is not None
    monkeypatch.setattr(report_cache, "MAX_CACHE_BYTES", 3 * size)
    monkeypatch.setattr(report_cache, "WALK_EVERY", 1)
    keep(traces[3], report)
    assert [cached_report(str(trace)) is not None for trace in traces] == [True, False, True, True]
