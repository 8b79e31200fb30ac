"""Reports read by a process of their own: what they hold costs neither TensorBoard nor each other."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import threading
import time
import zlib
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from job_scenes import job_of
from timeouts import PATIENCE_S

from tbprof.errors import Gone, ReadingTookTooLong, ReportNotReadable
from tbprof.file_names import RAW_SUFFIX, REPORT_SUFFIX
from tbprof.model import Window
from tbprof.plugin.worker import reports as reports_module
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.pool import Pool, Priority, Reading
from tbprof.plugin.worker.reports import Reports
from tbprof.plugin.worker.window_messages import json_of, record_in
from tbprof.report import build_report
from tbprof.safe_open import content_of
from tbprof.store import report_pb2
from tbprof.store.codec import encode_report
from tbprof.views.job.rank_summary import RankSummary, rank_summary

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows can't stop a process")


@pytest.fixture
def stored(tmp_path: Path) -> Window:
    """A window with a report and no trace."""
    path = tmp_path / f"w{REPORT_SUFFIX}"
    path.write_bytes(encode_report(job_of(2)[0].report(), written_by="0.1"))
    return Window("run", "w", path.name, 1, None, str(path), 0)


def content(found: Answer | Reading) -> Any:
    assert isinstance(found, Answer)
    return json.loads(found.content)


def read(reports: Reports, window: Window) -> Any:
    """What is shown of a window once its trace is read."""
    deadline = time.monotonic() + PATIENCE_S
    while isinstance(found := reports.view("window", [window]), Reading):
        assert time.monotonic() < deadline, "the trace was not read in time"
        time.sleep(0.02)
    return content(found)


def test_what_was_answered_once_is_kept_as_it_was_sent(reports: Reports, stored: Window) -> None:
    first = reports.view("window", [stored])
    assert content(first)["window"]["run"] == "run"
    assert reports.view("window", [stored]) is first
    os.utime(stored.report_path or "", ns=(1, 1))
    assert reports.view("window", [stored]) is not first


def test_twenty_who_ask_at_once_have_it_made_once(reports: Reports, stored: Window) -> None:
    found: list[Answer | Reading] = []
    threads = [
        threading.Thread(target=lambda: found.append(reports.view("source", [stored]))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({content(one)["state"] for one in found}) == 1
    assert len(found) == 20


@needs_signals
def test_a_report_that_never_ends_costs_itself_and_is_not_tried_again_at_once(
    reports: Reports, pool: Pool, stored: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = Path(shutil.copy(stored.report_path or "", tmp_path / f"bad{REPORT_SUFFIX}"))
    window = dataclasses.replace(stored, worker="bad", report_path=str(bad))
    reports.view("window", [stored])
    stopped, other = pool.pids(Priority.STORED_REPORT)
    os.kill(stopped, signal.SIGSTOP)
    monkeypatch.setattr(reports_module, "_DEADLINE_S", 1.0)
    for _ in range(2):
        with pytest.raises(ReadingTookTooLong, match="took longer than 1 s"):
            reports.view("window", [window])
        assert pool.pids() == (other,)
    monkeypatch.undo()
    assert content(reports.view("source", [stored]))["state"] == "ready"


@needs_signals
def test_a_report_that_takes_long_holds_up_no_other(reports: Reports, pool: Pool, stored: Window) -> None:
    reports.view("window", [stored])
    stopped = pool.pids()[0]
    os.kill(stopped, signal.SIGSTOP)
    with ThreadPoolExecutor(2) as threads:
        answers = [threads.submit(reports.view, ask, [stored]) for ask in ("checks", "source")]
        ready, waiting = wait(answers, return_when=FIRST_COMPLETED)
        assert (len(ready), len(waiting)) == (1, 1)
        os.kill(stopped, signal.SIGCONT)


def test_a_bomb_is_refused_with_one_sentence(reports: Reports, tmp_path: Path) -> None:
    path = tmp_path / f"bomb{REPORT_SUFFIX}"
    unpacked = b"\x12\0" * 3_000_000
    path.write_bytes(
        report_pb2.Envelope(
            schema=1, checksum=zlib.crc32(unpacked), report=zlib.compress(unpacked)
        ).SerializeToString()
    )
    window = Window("run", "bomb", path.name, 1, None, str(path), 0)
    with pytest.raises(ReportNotReadable, match=r"more than 16,384 of Report\.steps"):
        reports.view("window", [window])
    assert reports.of_many("figures", [window])[0].error.startswith(str(path))


def test_the_report_of_another_trace_is_named_and_the_trace_analyzed(
    reports: Reports, tmp_path: Path, sample: Path
) -> None:
    trace = Path(shutil.copy(sample, tmp_path / f"w{RAW_SUFFIX}"))
    other = tmp_path / f"w{REPORT_SUFFIX}"
    report = dataclasses.replace(build_report(sample), steps=())
    other.write_bytes(encode_report(report, written_by="0.1", made_of=(1, "another")))
    window = Window("run", "w", trace.name, 1, str(trace), str(other), trace.stat().st_size)
    view = read(reports, window)["window"]
    assert len(view["steps"]) == 3
    assert "made of another file" in json.dumps(view)
    other.write_bytes(encode_report(build_report(trace), written_by="0.1", made_of=content_of(trace)))
    assert "made of another file" not in json.dumps(read(reports, window))


def test_of_many_each_has_its_own_part(
    reports: Reports, stored: Window, tmp_path: Path, sample: Path
) -> None:
    gone = dataclasses.replace(stored, worker="gone", report_path=str(tmp_path / "gone"))
    unread = dataclasses.replace(stored, worker="unread", report_path=None, trace_path=str(sample))
    first, second, third = reports.of_many("rank_summary", [stored, gone, unread])
    assert record_in(first.record, RankSummary).worker == "w"
    assert "is gone" in second.error
    assert third.is_missing
    with pytest.raises(Gone):
        reports.view("window", [gone])


def test_a_summary_comes_as_it_was_made() -> None:
    made = rank_summary(job_of(2)[0].report(), "w", 0)
    came = record_in(json_of(made).decode(), RankSummary)
    assert made.record is not None
    assert came.record is not None
    for field in dataclasses.fields(made.record):
        np.testing.assert_array_equal(getattr(came.record, field.name), getattr(made.record, field.name))
    without = {field.name for field in dataclasses.fields(made)} - {"record"}
    assert all(getattr(came, name) == getattr(made, name) for name in without)
