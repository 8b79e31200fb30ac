"""The report of a window: published, else cached, else none yet."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tbprof.errors import ReportNotReadable, ReportTooNew
from tbprof.model import Report, Window
from tbprof.report import build_report
from tbprof.safe_open import content_of
from tbprof.store import report_pb2
from tbprof.store.codec import MAX_REPORT_BYTES, encode_report
from tbprof.store.report_cache import keep_report, report_key, report_of_window
from tbprof.store.windows import read_report, stored_report, with_doubt

SAMPLE = Path(__file__).parents[3] / "logs/samples/h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path))


@pytest.fixture
def report(trace: Path) -> Report:
    return build_report(trace)


@pytest.fixture
def published(tmp_path: Path, report: Report) -> Path:
    path = tmp_path / "a.tbprof.pb"
    path.write_bytes(encode_report(report, written_by="0.1"))
    return path


def window(*, trace: Path | None = None, report: Path | None = None) -> Window:
    return Window(
        run="run",
        worker="w",
        window="w",
        order_ns=0,
        trace_path=None if trace is None else str(trace),
        report_path=None if report is None else str(report),
        size_bytes=0,
    )


def test_a_published_report_is_read_and_names_its_file(published: Path, report: Report) -> None:
    found = stored_report(window(report=published))
    assert found is not None
    assert found.trace.path == str(published)
    assert found.sync_points == report.sync_points


def test_a_trace_alone_has_a_report_once_it_is_cached(trace: Path, report: Report) -> None:
    assert stored_report(window(trace=trace)) is None
    keep_report(str(trace), report, report_key(str(trace)))
    assert stored_report(window(trace=trace)) == report


def test_a_damaged_report_beside_its_trace_is_done_without(trace: Path, published: Path) -> None:
    published.write_bytes(b"damaged")
    assert stored_report(window(trace=trace, report=published)) is None


def test_a_damaged_report_alone_is_said(published: Path) -> None:
    published.write_bytes(b"damaged")
    with pytest.raises(ReportNotReadable, match=r"a\.tbprof\.pb is damaged"):
        stored_report(window(report=published))


def test_a_trace_is_read_where_a_later_version_wrote_its_report(trace: Path, published: Path) -> None:
    content, digest = content_of(trace)
    envelope = report_pb2.Envelope(
        schema=99, written_by="9.0", trace_bytes=content, trace_digest=digest, report=b"?"
    )
    published.write_bytes(envelope.SerializeToString())
    place = window(trace=trace, report=published)
    assert stored_report(place) is None
    assert health(report_of_window(place, use_cache=False))[-1] == "report_of_later_version"
    with pytest.raises(ReportTooNew, match=r"written by tbprof 9\.0"):
        stored_report(window(report=published))


def test_a_missing_report_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReportNotReadable, match=r"can't be read \(No such file or directory\)"):
        read_report(str(tmp_path / "missing.tbprof.pb"))


def test_a_huge_report_is_refused_unread(published: Path) -> None:
    with published.open("wb") as file:
        file.truncate(MAX_REPORT_BYTES + 1)
    with pytest.raises(ReportNotReadable, match="larger than any report"):
        read_report(str(published))


def health(report: Report | None) -> list[str]:
    assert report is not None
    return [fact.code for fact in report.trace.health]


def test_a_report_of_this_very_trace_is_believed(trace: Path, report: Report, published: Path) -> None:
    published.write_bytes(encode_report(report, written_by="0.1", made_of=content_of(trace)))
    found = stored_report(window(trace=trace, report=published))
    assert health(found) == health(report)
    # It may be moved, and have another time.
    moved = trace.rename(trace.with_name("moved.json.gz"))
    os.utime(moved, ns=(1, 1))
    assert stored_report(window(trace=moved, report=published)) == found


def test_a_report_of_an_older_version_is_read_and_said_to_be_unbound(
    trace: Path, report: Report, published: Path
) -> None:
    assert health(stored_report(window(trace=trace, report=published))) == [
        *health(report),
        "report_not_bound",
    ]
    assert health(stored_report(window(report=published))) == health(report)


@pytest.mark.parametrize("change", [lambda data: data + b"\0", lambda data: data[:9] + b"\1" + data[10:]])
def test_the_report_of_another_trace_is_not_believed_and_named(
    trace: Path, report: Report, published: Path, change: Callable[[bytes], bytes]
) -> None:
    published.write_bytes(encode_report(report, written_by="0.1", made_of=content_of(trace)))
    trace.write_bytes(change(trace.read_bytes()))
    place = window(trace=trace, report=published)
    assert stored_report(place) is None
    keep_report(str(trace), report, report_key(str(trace)))
    assert health(stored_report(place)) == [*health(report), "report_of_other_trace"]
    assert health(with_doubt(place, report)) == [*health(report), "report_of_other_trace"]
    assert health(report_of_window(place, use_cache=False))[-1] == "report_of_other_trace"


def test_an_older_report_that_names_another_file_is_not_believed(
    trace: Path, report: Report, published: Path
) -> None:
    other = dataclasses.replace(report.trace, path="C:\\logs\\another.pt.trace.json.gz")
    published.write_bytes(encode_report(dataclasses.replace(report, trace=other), written_by="0.1"))
    place = window(trace=trace, report=published)
    assert stored_report(place) is None
    keep_report(str(trace), report, report_key(str(trace)))
    assert health(stored_report(place)) == [*health(report), "report_of_other_trace"]
    assert health(stored_report(window(report=published))) == health(report)
