"""The process that reads traces: one line in, lines of progress and one result out."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tbprof.plugin import worker
from tbprof.report import build_report
from tbprof.store.cache import cached_report
from tbprof.store.codec import decode_report


def answers(*paths: Path) -> list[dict[str, Any]]:
    """What the process tells when it is asked for these."""
    told = io.StringIO()
    worker.serve(io.StringIO("".join(json.dumps({"path": str(path)}) + "\n" for path in paths)), told)
    return [json.loads(line) for line in told.getvalue().splitlines()]


def test_a_trace_gives_its_report_and_is_kept_in_the_cache(sample: Path) -> None:
    *progress, last = answers(sample)
    assert {name for message in progress for name in message} <= {"path", "read_bytes", "total_bytes"}
    assert set(last) == {"path", "report"}
    report = build_report(sample)
    assert decode_report(base64.b64decode(last["report"]), name="x") == report
    assert cached_report(str(sample)) == report


def test_progress_is_told_while_a_trace_is_read(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_TELL_EVERY_S", 0.0)
    *progress, _ = answers(sample)
    read = [message["read_bytes"] for message in progress]
    assert read == sorted(read)
    assert read[-1] == progress[-1]["total_bytes"] == sample.stat().st_size


def test_a_broken_trace_costs_itself_only(sample: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("no trace", encoding="utf-8")
    results = [message for message in answers(broken, sample, broken) if "read_bytes" not in message]
    assert [set(message) for message in results] == [
        {"path", "error"},
        {"path", "report"},
        {"path", "error"},
    ]
    assert str(broken) in results[0]["error"]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (MemoryError(), "does not fit into this machine's memory"),
        (ZeroDivisionError("x"), "could not be read; this is a fault of tbprof's (ZeroDivisionError: x)"),
    ],
)
def test_a_fault_is_told_and_not_raised(
    sample: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception, sentence: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(worker, "build_report", fail)
    [message] = answers(sample)
    assert message == {"path": str(sample), "error": f"{sample} {sentence}"}
